// One chain of messages, from its first one through every agent that it reached, with what it came to. Of each log that has to do
// with it, only the stretch is read in which that stands.

import { LegionError } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import { sendsOf, type Event } from "../../domain/event/event.ts";
import {
  CONTROL,
  displayName,
  isMessageId,
  parseMessageId,
  type AgentId,
  type Message,
} from "../../domain/message/message.ts";
import { sentMail, undeliveredIn, type SentMail } from "../../past/digest/correspondence.ts";
import { buriedBy, graveOf } from "../../past/mail/dead-letters.ts";
import { createShown } from "../../past/spans/shown.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { ReadingAnswer } from "../api/readings.ts";
import { mailRow, newestFirst, readDigests, readFates, type ReadDigests } from "./conversation.ts";

type ToldChain = ReadingAnswer<"chain">;
type ChainLogs = Pick<Reader, "known" | "digest" | "events">;

/** So many messages are told, those nearest to the first one; so many are looked at. */
const MOST_TOLD = 2_000;
const MOST_SEEN = 20_000;

/** Rejects with USAGE for a message that no log has. */
export async function readChain(reader: ChainLogs, message: string): Promise<ToldChain> {
  const { digests, unread } = await readDigests(reader);
  const root = await rootOf(reader, message, digests);
  const found = createFound(root);
  for (const [agent, { correspondence, ledger }] of digests) {
    const [first, last] = correspondence.chains.get(root) ?? [];
    if (first === undefined || last === undefined) continue;
    const see = found.begin(agent, ledger.log ?? "");
    for await (const event of reader.events(agent, first)) {
      if (event.seq > last) break;
      see(event);
    }
  }
  const told = nearest(found.letters());
  const fateOf = await readFates(
    reader,
    digests,
    told.map(({ mail }) => mail),
  );
  return {
    root,
    messages: told.map(({ agent, mail, takenAt = null, parent }) => {
      const row = mailRow(agent, mail, fateOf(mail));
      const isTaken = takenAt !== null && (row.state === "sent" || row.state === "delivered");
      return { ...row, ...(isTaken && { state: "taken" as const }), takenAt, parent };
    }),
    otherMessages: found.size() - told.length,
    agents: agentsOf(root, told, digests),
    unread,
  };
}

/** The first message of its chain. What was said lately is known without reading. */
async function rootOf(reader: ChainLogs, id: string, digests: ReadDigests["digests"]): Promise<string> {
  for (const { correspondence } of digests.values()) {
    if (correspondence.chains.has(id)) return id;
    const mail = correspondence.sent.find((one) => one.id === id);
    if (mail) return mail.root;
  }
  if (!isMessageId(id))
    throw new LegionError("USAGE", `${quote(id)} is no message; the id of one looks like 0>2#1`);
  const { from, to } = parseMessageId(id);
  for (const agent of [from, to].filter((one) => digests.has(one)))
    for await (const event of reader.events(agent)) {
      const message = messagesIn(event).find((one) => one.id === id);
      if (message) return message.root;
    }
  throw new LegionError(
    "USAGE",
    `no log has a message ${quote(id)}; \`legion log <agent> --json\` tells the ids that there are`,
  );
}

function messagesIn(event: Event): readonly Message[] {
  return event.kind === "message" ? [event.message] : sendsOf(event);
}

interface ChainLetter {
  /** Whose log has its text. */
  readonly agent: AgentId;
  readonly mail: SentMail;
  readonly cause: string | undefined;
  readonly takenAt?: string;
}

/** Gathers what logs say of one chain. */
function createFound(root: string) {
  const letters = new Map<string, ChainLetter>();
  const taken = new Map<string, string>();
  const others = new Set<string>();
  const enter = (id: string, letter: () => ChainLetter): void => {
    if (letters.has(id) || letters.size < MOST_SEEN) letters.set(id, letter());
    else others.add(id);
  };
  const bury = (event: Event): void => {
    const { id, why } = undeliveredIn(event);
    const letter = letters.get(id);
    const grave = event.kind === "notice" ? buriedBy(event) : undefined;
    if (letter && graveOf(letter.mail, letter.mail.seq) === grave)
      letters.set(id, { ...letter, mail: { ...letter.mail, why } });
  };
  return {
    /** Takes the log of `agent`, which is named `log`, event by event. */
    begin(agent: AgentId, log: string): (event: Event) => void {
      const shown = createShown({ targets: new Set() });
      /** What it works for, where a message does not say it. */
      let newest: string | undefined;
      return (event) => {
        const letterOf = (message: Message, from: string) => (): ChainLetter => ({
          ...{ agent, mail: sentMail(message, from, event.seq), cause: message.cause ?? newest },
        });
        for (const message of sendsOf(event))
          if (message.root === root) enter(message.id, letterOf(message, log));
        newest = shown.see(event).findLast(({ message }) => message.root === root)?.message.id ?? newest;
        if (event.kind === "notice" && event.reason === "undeliverable") bury(event);
        if (event.kind !== "message" || event.message.root !== root) return;
        const { message, from } = event;
        if (!letters.has(message.id)) enter(message.id, letterOf(message, from));
        if (!taken.has(message.id)) taken.set(message.id, event.at);
      };
    },
    letters: (): readonly ChainLetter[] =>
      [...letters].map(([id, letter]) => ({ ...letter, takenAt: taken.get(id) })),
    size: () => letters.size + others.size,
  };
}

interface PlacedLetter extends ChainLetter {
  readonly parent: string | null;
}

/** Those nearest to the first message, each after the one that it came of; then in the order in which they were sent. */
function nearest(letters: readonly ChainLetter[]): readonly PlacedLetter[] {
  const known = new Set(letters.map(({ mail }) => mail.id));
  const below = new Map<string | null, PlacedLetter[]>();
  for (const letter of letters) {
    const { mail, cause = mail.root } = letter;
    const parent = mail.id !== mail.root && cause !== mail.id && known.has(cause) ? cause : null;
    const all = below.get(parent) ?? [];
    all.push({ ...letter, parent });
    below.set(parent, all);
  }
  const told: PlacedLetter[] = [...(below.get(null) ?? [])];
  for (let at = 0; at < told.length && told.length < MOST_TOLD; at++)
    told.push(...(below.get(told[at]!.mail.id) ?? []));
  return told.slice(0, MOST_TOLD).sort((a, b) => newestFirst(b.mail, a.mail));
}

function agentsOf(
  root: string,
  told: readonly PlacedLetter[],
  digests: ReadDigests["digests"],
): ToldChain["agents"] {
  const reached = new Set(
    told.map(({ mail }) => parseMessageId(mail.id)).flatMap(({ from, to }) => [from, to]),
  );
  return [...digests].flatMap(([id, { charges }]) => {
    const share = charges.causes.get(root);
    if (id === CONTROL || (!share && !reached.has(id))) return [];
    const { steps = 0, input = 0, output = 0, cost = 0, timeMs = 0 } = share?.charge ?? {};
    const isKnown = share?.isPriced === true || input + output === 0;
    return { id, name: displayName(id), steps, input, output, cost: isKnown ? cost : null, timeMs };
  });
}
