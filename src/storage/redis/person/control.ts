// Agent 0 of a legion in Redis. In files whoever holds the lock owns its log, like any other; here nobody may: a person speaks
// through any node, and through commands with no node running, and what they said is safe whoever dies. A lease would have
// each word wait for the death of its holder, and read the log from its beginning. So any process adds to it by scripts, and
// every node delivers what is not delivered, and takes in what agents say to the person.

import type { Clock } from "../../../base/clock.ts";
import { LegionError } from "../../../base/errors.ts";
import type { Redactor } from "../../../base/redaction/redactor.ts";
import { oneAtATime } from "../../../base/turns.ts";
import type { Inspect } from "../../../domain/inspection.ts";
import { CONTROL, type AgentId } from "../../../domain/message/message.ts";
import { createControl, type Control } from "../../../mail/control.ts";
import type { LetterWriting } from "../../../mail/log-access.ts";
import { createConversation } from "../../../past/conversation.ts";
import { createLedger } from "../../../past/ledger.ts";
import type { LegionPlace } from "../scripts/scope.ts";
import type { RedisBus } from "../mail/bus.ts";
import { agentKeys } from "../scripts/keys.ts";
import { createPersonLog, type PersonLog, type NumberedEvent } from "./log.ts";
import { createPersonOutbox, type PersonOutbox } from "./outbox.ts";

export interface RedisControlOptions extends LegionPlace {
  readonly bus: RedisBus;
  readonly clock: Clock;
  readonly inspect: Inspect;
  readonly redactor?: Redactor;
  /** Known agents, Control not. */
  readonly known: () => Promise<readonly AgentId[]>;
  /** A `node` also delivers what others left, takes in mail, and shows what happens; a `command` only speaks. */
  readonly role: "node" | "command";
}

/** How often is looked for what no word on a channel told of. */
const ROUND_MS = 1_000;
/** In so many of these rounds one asks whether a server is another one now. */
const LOSS_EVERY = 10;
/** How often an errand is tried anew because somebody else said something meanwhile. */
const MAX_TRIES = 20;

export async function openRedisControl(options: RedisControlOptions): Promise<Control> {
  const { bus, clock, known, redactor, role } = options;
  const place = { link: options.link, legion: options.legion };
  const log = createPersonLog(place, clock.now, redactor);
  const outbox = createPersonOutbox(place, log, bus);
  const attending = role === "node" ? await attend(options, log, outbox) : undefined;
  const controlLog = {
    async alone<T>(work: (log: LetterWriting) => Promise<T>): Promise<T> {
      for (let tries = 1; ; tries++) {
        try {
          return await work(openErrand(log, outbox));
        } catch (error) {
          if (error !== MOVED || tries === MAX_TRIES) throw error;
        }
      }
    },
    undelivered: outbox.undelivered,
    caughtUp: async () => attending?.look(),
    close: async () => attending?.end(),
  };
  return createControl(controlLog, { clock, known, unread: bus.unread });
}

const MOVED = new LegionError("STORAGE", "Somebody else said something at the same moment; try again.");

/** The log as one errand sees it: whoever has read in it adds to it only as long as nobody else does. */
function openErrand(log: PersonLog, { deliver }: PersonOutbox): LetterWriting {
  const fresh: NumberedEvent[] = [];
  let last: number | undefined;
  return {
    memory: {
      agent: CONTROL,
      // Redis gives the numbers, and what Control says belongs to no conversation.
      ledger: createLedger(),
      conversation: createConversation(),
      async *read(from = 1) {
        last = Math.max(last ?? 0, from - 1);
        for await (const event of log.read(from)) {
          last = Math.max(last, event.seq);
          yield event;
        }
      },
      async commit(...events) {
        const said = await log.add(events, last);
        if (!said) throw MOVED;
        if (last !== undefined) last = said.at(-1)!.event.seq;
        fresh.push(...said);
        return said.map(({ event }) => event);
      },
    },
    outbox: { deliver: () => deliver(fresh.splice(0)) },
  };
}

interface Attending {
  /** Takes in and shows what is there, if Redis answers. */
  look(): Promise<void>;
  end(): Promise<void>;
}

/** Looks after agent 0 until the end. */
async function attend(
  { link, legion, clock, inspect }: RedisControlOptions,
  log: PersonLog,
  outbox: PersonOutbox,
): Promise<Attending> {
  const { meta, wake } = agentKeys(legion, CONTROL);
  const ending = new AbortController();
  let shown = Number((await link.command("HGET", meta, "seq")) ?? 0);
  const look = async (): Promise<void> => {
    await log.takeIn();
    for await (const event of log.read(shown + 1)) {
      shown = event.seq;
      inspect({ kind: "event", agent: CONTROL, event });
    }
  };
  // Two that show would show twice; and of many words that there is mail, one is as good as all.
  const lookSoon = oneAtATime(() => look().catch(() => undefined));
  const unlisten = await link.listen(wake, () => void lookSoon());
  const attending = async (): Promise<void> => {
    for (let count = 0; !ending.signal.aborted; count++) {
      // What cannot be done now, because Redis is away, is done in a later round, here or in another process.
      if (count % LOSS_EVERY === 0) await doubtAfterLoss({ link, legion }, outbox).catch(() => undefined);
      await outbox.deliverForAll().catch(() => undefined);
      await lookSoon();
      await clock.sleep(ROUND_MS, ending.signal);
    }
  };
  const attended = attending();
  return {
    look: lookSoon,
    async end() {
      ending.abort();
      unlisten();
      await attended;
      await lookSoon();
    },
  };
}

/** A server that was restarted, or that took over from another, may have lost mail that log 0, elsewhere, calls delivered. */
async function doubtAfterLoss(
  { link, legion }: LegionPlace,
  { doubt }: Pick<PersonOutbox, "doubt">,
): Promise<void> {
  const { meta } = agentKeys(legion, CONTROL);
  const reply = await link.command("HMGET", meta, "durability", "servers");
  const [durability, before] = reply as readonly (string | null)[];
  if (durability === "always") return;
  const servers = await link.incarnation();
  if (before === servers) return;
  if (before !== null) await doubt();
  await link.command("HSET", meta, "servers", servers);
}
