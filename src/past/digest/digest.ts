// What a log comes to, in a form that can be kept and gone on from: how its agent stands at rest, what was spent on what and when,
// who it wrote to and heard from, what it said, which files it changed. The folds are those that a running agent has; here they are only packed.

import { z } from "zod";
import type { Event } from "../../domain/event/event.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { account, createLedger, ownCall, type Ledger } from "../ledger.ts";
import type { Send } from "../mail/sends.ts";
import { atRestSchema, branchSchema, followAtRest, type RestingConversation } from "./at-rest.ts";
import { chargesSchema, createCharges, type Charges } from "./charges/charges.ts";
import { createGuesses, guessesSchema, type Guesses } from "./charges/guesses.ts";
import { createWaste, wasteSchema, type Waste } from "./charges/waste.ts";
import { createDeeds, deedsShape, type Deeds } from "./deeds.ts";
import { ledgerSchema, packLedger, unpackLedger } from "./kept-ledger.ts";
import { createTraffic, trafficSchema, type PeerTraffic } from "./traffic.ts";

/** All of it together is only changed by a new version: what another one kept is folded anew. */
export const VERSION = 8;

export interface Digest extends Deeds {
  readonly ledger: Omit<Readonly<Ledger>, "undelivered"> & {
    /** Committed sends not known to be delivered, oldest first. */
    readonly undelivered: readonly Pick<Send, "from" | "to" | "n" | "seq">[];
  };
  /** Of the active branch; all else is of the whole log. */
  readonly conversation: RestingConversation;
  readonly charges: Charges;
  readonly waste: Waste;
  readonly guesses: Guesses;
  /** When the agent came to be, in milliseconds since 1970: what it has of another one's past is older. 0 without events. */
  readonly began: number;
  /** The latest time of any event, in milliseconds since 1970. */
  readonly latest: number;
  /** By peer: agents, Control, memories. */
  readonly peers: ReadonlyMap<AgentId, PeerTraffic>;
  /** The first message of the newest that was shown; absent: none was. */
  readonly root?: string | undefined;
}

const headSchema = z.object({
  version: z.literal(VERSION),
  ledger: ledgerSchema,
  began: z.number(),
  latest: z.number(),
  conversation: atRestSchema,
  branch: branchSchema,
  traffic: trafficSchema,
});
const schema = z.object({
  head: headSchema,
  rest: z.object({
    ...{ charges: chargesSchema, waste: wasteSchema, guesses: guessesSchema },
    ...deedsShape,
  }),
});

/** Plain JSON; the head is kept apart. */
export type PackedDigest = z.output<typeof schema>;

/** What `value` keeps, if it is what `pack` made; anything else is no digest. */
export function readPacked(value: unknown): PackedDigest | undefined {
  return schema.safeParse(value).data;
}

/** Folds a log, whatever its branch: from its beginning, or from behind the last event of what was kept. */
export function createDigest(kept?: PackedDigest) {
  const ledger = kept ? unpackLedger(kept.head.ledger) : createLedger();
  const atRest = followAtRest(kept?.head);
  const { charges, ...charging } = createCharges(ledger, kept?.rest.charges);
  const wasting = createWaste(ledger, kept?.rest.waste);
  const guessing = createGuesses(kept?.rest.guesses);
  const traffic = createTraffic(kept?.head.traffic);
  const doing = createDeeds(ledger, kept?.rest);
  let { began, latest } = kept?.head ?? { began: 0, latest: 0 };
  return {
    get digest(): Digest {
      const { conversation } = atRest;
      const { peers } = traffic;
      const [{ waste }, { guesses }] = [wasting, guessing];
      const paid = { charges, waste, guesses };
      const root = charging.root();
      return { ledger, conversation, ...paid, began, latest, peers, root, ...doing.deeds };
    },
    /** Takes in one event. They come in the order of the log. */
    see(event: Event): void {
      const retried = isMadeAgain(event, ledger) ? 1 : 0;
      wasting.settle(event);
      account(ledger, event);
      if (began === 0 || isOwnBeginning(event)) began = ledger.atMs;
      const before = latest;
      latest = Math.max(latest, ledger.atMs || 0);
      charging.see(event, retried);
      const course = wasting.see(event);
      guessing.see(event);
      atRest.see(event);
      traffic.see(event);
      doing.see(event, { root: charging.root(), course, latest: before, atMs: ledger.atMs });
    },
    /** To be called after the last event. @param read gives the log from its first event; it is read where the log went back */
    settle: (read: () => AsyncIterable<Event>): Promise<void> => atRest.settle(read),
    pack: (): PackedDigest => ({
      head: {
        ...{ version: VERSION, ledger: packLedger(ledger), began, latest },
        ...{ ...atRest.pack(), traffic: traffic.pack() },
      },
      rest: {
        ...{ charges: charging.pack(), waste: wasting.pack(), guesses: guessing.pack() },
        ...doing.pack(),
      },
    }),
  };
}

/** What stands before it is another agent's past. */
function isOwnBeginning(event: Event): boolean {
  return event.kind === "branch" && event.origin !== undefined;
}

/** Did a call come to nothing? It was refused, or the next one is made and nobody knows what became of it. */
function isMadeAgain(event: Event, ledger: Ledger): boolean {
  if (event.kind === "refused") return true;
  return event.kind === "prompted" && event.call === undefined && ownCall(ledger) !== undefined;
}
