// The lines of what was asked: which are told, in which order, and the words that answer them.

import { CONTROL, parseMessageId, type AgentId, type Message } from "../../domain/message/message.ts";
import type { Digest } from "../../past/digest/digest.ts";
import { isAnswer } from "../../past/digest/incidents/answers.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { receiptLines } from "../receipts/told.ts";
import { createReceiptsToday, type ReceiptsToday } from "../receipts/today.ts";
import { describeRoot, type KnownRoot, type Roots } from "./asked.ts";
import { createGroup } from "./group.ts";
import { ASKED_STATES, type AskedState, type ReportAsked } from "./report.ts";

interface AskedFrom {
  readonly reader: Reader;
  readonly own: Digest;
  readonly sinceMs: number;
  readonly most: number;
}

interface NewestAnswer {
  readonly agent: AgentId;
  readonly at: string;
  readonly count: number;
  /** The event of the person's log, or the message that it has not taken in. */
  readonly words: number | Message;
}

/** Those that are of the time that is told of, with what was said of them. */
export async function tellAsked(roots: Roots, { reader, own, sinceMs, most }: AskedFrom) {
  const said = await answersTo(reader, own);
  for (const [root, { at }] of said) if (!(Date.parse(at) < sinceMs)) roots.tell(root);
  const states: Partial<Record<AskedState, number>> = {};
  const group = createGroup<ReturnType<typeof describeRoot>>(most, byState);
  const repeated = new Map<string, ReturnType<typeof describeRoot>>();
  for (const root of toldOf(roots)) {
    const asked = describeRoot(root, said.get(root.id));
    if (asked.from === "runtime") {
      // Whatever came of the others, it said so again.
      const before = repeated.get(asked.text ?? "");
      repeated.set(asked.text ?? "", before ? joined(before, asked) : asked);
      continue;
    }
    group.add(asked);
    states[asked.state] = (states[asked.state] ?? 0) + 1;
  }
  for (const asked of repeated.values()) group.add(asked);
  const { items, ...counted } = group.group();
  const told: ReportAsked[] = [];
  const receiptsToday = createReceiptsToday(reader);
  for (const asked of items) {
    const answer = said.get(asked.root);
    told.push({ ...asked, ...(await wordsOf(await messageOf(reader, answer), answer, receiptsToday)) });
  }
  return { asked: { items: told, ...counted }, states };
}

function* toldOf(roots: Roots): Generator<KnownRoot> {
  for (const root of roots.all()) if (root.isTold) yield root;
}

type Undescribed = ReturnType<typeof describeRoot>;

function joined(a: Undescribed, b: Undescribed): Undescribed {
  const newest = (a.at ?? "") > (b.at ?? "") ? a : b;
  const spent = Object.fromEntries(
    (["steps", "tokens", "cost", "unpriced", "timeMs"] as const).map((of) => [of, a.spent[of] + b.spent[of]]),
  ) as Undescribed["spent"];
  const sums = {
    times: a.times + b.times,
    files: a.files + b.files,
    moreFiles: a.moreFiles + b.moreFiles,
    commands: a.commands + b.commands,
  };
  return { ...newest, spent, ...sums, agents: [...new Set([...a.agents, ...b.agents])] };
}

/** The newest that agents said to the person, by first message. */
async function answersTo(
  reader: Reader,
  { answers, ledger }: Digest,
): Promise<ReadonlyMap<string, NewestAnswer>> {
  const said = new Map<string, NewestAnswer>(
    [...answers].map(([root, { from, at, seq, count }]) => [root, { agent: from, at, count, words: seq }]),
  );
  for (const { message } of await reader.unread(CONTROL, ledger)) {
    if (!isAnswer(message)) continue;
    const { id, root, sentAt: at } = message;
    const count = (said.get(root)?.count ?? 0) + 1;
    said.set(root, { agent: parseMessageId(id).from, at, count, words: message });
  }
  return said;
}

const MOST_CHARS = 2_000;

async function messageOf(reader: Reader, said: NewestAnswer | undefined): Promise<Message | undefined> {
  return typeof said?.words === "number" ? messageAt(reader, said.words) : said?.words;
}

async function wordsOf(
  message: Message | undefined,
  said: NewestAnswer | undefined,
  receiptsToday: ReceiptsToday,
): Promise<Pick<ReportAsked, "answer" | "answers">> {
  if (!said || !message) return { answer: null, answers: said?.count ?? 0 };
  const { agent, at, count } = said;
  const text = message.content.trim();
  const receipts = receiptLines(await receiptsToday(message));
  const answer = { agent, at, text: text.slice(0, MOST_CHARS), isCut: text.length > MOST_CHARS, receipts };
  return { answer, answers: count };
}

async function messageAt(reader: Reader, seq: number): Promise<Message | undefined> {
  for await (const event of reader.events(CONTROL, seq))
    return event.seq === seq && event.kind === "message" ? event.message : undefined;
  return undefined;
}

/** What matters most first, and of that the newest. */
function byState(a: Undescribed, b: Undescribed): number {
  const rank = ({ from, state }: Undescribed): number =>
    from === "runtime" ? ASKED_STATES.length : ASKED_STATES.indexOf(state);
  return rank(a) - rank(b) || (b.at ?? "").localeCompare(a.at ?? "");
}
