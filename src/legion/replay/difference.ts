// Where a replay leaves its tape: what is compared, apart from times and the names of logs, and how it is told.

import type { Redactor } from "../../base/redaction/redactor.ts";
import { isLegionError, messageOf } from "../../base/errors.ts";
import {
  addUsage,
  sendsOf,
  type Event,
  type EventOf,
  type NewEvent,
  type Stamp,
  type Usage,
} from "../../domain/event/event.ts";
import { CONTROL, displayName, type AgentId, type Message } from "../../domain/message/message.ts";
import type { ModelRequest, Turn } from "../../domain/model.ts";
import { textOf } from "../../past/shown/items.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { promptAt } from "./past-prompt.ts";

/** The first thing that is not as it was recorded. */
export interface Difference {
  readonly agent: AgentId;
  /** The recorded event that it was found at. */
  readonly seq: number;
  /** What of it, such as `decision 57: system prompt`. */
  readonly part: string;
  /** The whole of that part, on either side. */
  readonly recorded: string;
  readonly today: string;
}

/**
 * What has to be the same of an event: everything but sequence numbers, epochs, times, places in mailboxes, the names
 * of logs and models, and what a call cost or was thought to cost. `undefined` for what depends on the course of things outside the
 * agent: when its process started, when its mail arrived, what its provider refused.
 */
export function essenceOf(event: NewEvent | Event): unknown {
  switch (event.kind) {
    case "message":
      return { kind: event.kind, held: event.held, message: letterOf(event.message) };
    case "observed": {
      const { kind, of, control, thread, n, message } = event;
      return { kind, agent: of.agent, control, thread, n, message: message && letterOf(message) };
    }
    case "released":
      return { kind: event.kind, messages: event.messages.length };
    case "decision": {
      const { usage, cost: _, model: __, ...decision } = withoutStamp(event);
      // What an aborted one took is an estimate.
      return {
        ...decision,
        sends: sentBy(event),
        usage: event.stop === "aborted" ? undefined : tokensOf(usage),
      };
    }
    case "result": {
      const { usage, ...result } = withoutStamp(event);
      return { ...result, sends: sentBy(event), usage: usage && tokensOf(usage) };
    }
    case "summary":
      return { kind: event.kind, strategy: event.strategy, content: withoutNumbers(event.content) };
    case "prompted":
      return { kind: event.kind };
    case "edited":
      return withoutStamp(event);
    case "notice":
      // What a limit or an end is called, earlier versions did not write.
      return isOfTheAgent(event.reason)
        ? { ...withoutStamp(event), sends: sentBy(event), details: undefined }
        : undefined;
    default:
      return undefined;
  }
}

type Unstamped<E> = E extends unknown ? Omit<E, keyof Stamp> : never;

/** `event` as it was handed to the log. */
export function withoutStamp<E extends NewEvent | Event>(event: E): Unstamped<E> {
  const { seq: _seq, epoch: _epoch, at: _at, ...rest }: E & Partial<Stamp> = event;
  return rest as Unstamped<E>;
}

function isOfTheAgent(reason: string): boolean {
  return ["paused", "resumed", "mode"].includes(reason) || reason.startsWith("parked");
}

function sentBy({ sends = [] }: { readonly sends?: readonly Message[] }): readonly object[] | undefined {
  return sends.length > 0 ? sends.map(letterOf) : undefined;
}

function letterOf(message: Message): object {
  return { ...message, sentAt: undefined };
}

function tokensOf(usage: Usage): Usage {
  const { cost: _, ...tokens } = addUsage(usage, { input: 0, output: 0 });
  return tokens;
}

/** Numbers of events count what happened beside the agent's own doings, too. */
export function withoutNumbers(text: string): string {
  return text.replace(/\bevent \d+(-\d+)?/g, "event #");
}

/** What of `today` is not as in `recorded`; `undefined` if nothing is. */
export function compareEvents(
  agent: AgentId,
  recorded: Event | undefined,
  today: NewEvent | Event | undefined,
): Difference | undefined {
  const seen = recorded && isFromBeforeMarks(recorded) ? withoutMarks : asItIs;
  const [before, now] = [recorded, today].map((event) => event && toText(essenceOf(seen(event))));
  if (before === now) return undefined;
  const seq = recorded?.seq ?? 0;
  const part = recorded ? `event ${seq}: ${recorded.kind}` : `after its last event: ${today!.kind}`;
  return { agent, seq, part, recorded: before ?? NOTHING, today: now ?? NOTHING };
}

const asItIs = (event: NewEvent | Event): NewEvent | Event => event;

/** Earlier versions did not say in whose name an agent writes, and marked for ever what it wrote after it read a page. */
function isFromBeforeMarks(event: Event): boolean {
  return messagesOf(event).some(({ source, authority }) => isOfAgent(source) && authority === undefined);
}

function isOfAgent(source: Message["source"]): boolean {
  return source.type === "agent" && source.id !== CONTROL;
}

function messagesOf(event: NewEvent | Event): readonly Message[] {
  return event.kind === "message" ? [event.message] : sendsOf(event);
}

function withoutMarks(event: NewEvent | Event): NewEvent | Event {
  const bare = messagesOf(event).map((message) => ({ ...message, authority: undefined, taint: undefined }));
  if (event.kind === "message") return { ...event, message: bare[0]! };
  return "sends" in event ? { ...event, sends: bare } : event;
}

const NOTHING = "(nothing)";

/** Keys in the same order, long texts on lines of their own. */
function toText(value: unknown): string {
  return JSON.stringify(sorted(value), null, 2);
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, sorted(item)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function compareLogs(
  agent: AgentId,
  recorded: readonly Event[],
  today: readonly Event[],
): Difference | undefined {
  const [before, now] = [recorded, today].map((log) => log.filter((event) => essenceOf(event)));
  for (let index = 0; index < Math.max(before!.length, now!.length); index++) {
    const difference = compareEvents(agent, before![index], now![index]);
    if (difference) return difference;
  }
  return undefined;
}

type Sides = Pick<Difference, "part" | "recorded" | "today">;

export interface ShownPrompt {
  readonly request: ModelRequest;
  readonly prompted: Pick<EventOf<"prompted">, "prompt" | "introduction">;
}

interface PromptComparison {
  readonly reader: Reader;
  readonly agent: AgentId;
  /** Nobody is shown a secret, and none makes a difference. */
  readonly redactor: Redactor;
}

/** The first part of what the model would be shown today that differs from what it was shown; `undefined` if none does. `pinned` is what was pinned when `recorded` was. */
export async function comparePrompts(
  { reader, agent, redactor }: PromptComparison,
  { recorded, pinned }: { readonly recorded: EventOf<"prompted">; readonly pinned: string },
  { request, prompted }: ShownPrompt,
): Promise<Sides | undefined> {
  const isSame = prompted.introduction === recorded.introduction && prompted.prompt === recorded.prompt;
  const pins: Sides = { part: "pinned messages", recorded: pinned, today: request.pinned };
  if (isSame && pinned === request.pinned) return undefined;
  // What was no secret yet when it was recorded may be one today, and the other way round.
  const hide = ({ part, recorded, today }: Sides): Sides => ({
    part,
    recorded: redactor.text(recorded),
    today: redactor.text(today),
  });
  const shownPins = hide(pins);
  if (isSame) return shownPins.recorded === shownPins.today ? undefined : shownPins;
  let before: ModelRequest;
  try {
    before = await promptAt(reader, agent, recorded.seq);
  } catch (error) {
    if (!isLegionError(error, "REFUSED")) throw error;
    const today = JSON.stringify({ ...request, turns: [] }, null, 2);
    return hide({ part: "prompt", recorded: `(${messageOf(error)})`, today });
  }
  for (const sides of [...introductions(before, request), ...histories(before.turns, request.turns), pins])
    if (!isAlike(hide(sides))) return hide(sides);
  return undefined;
}

function isAlike({ recorded, today }: Sides): boolean {
  return recorded === today || withoutNumbers(recorded) === withoutNumbers(today);
}

function introductions(before: ModelRequest, now: ModelRequest): readonly Sides[] {
  const [recorded, today] = [before, now].map(({ tools }) => JSON.stringify(tools, null, 2));
  return [
    { part: "system prompt", recorded: before.system, today: now.system },
    { part: "tools", recorded: recorded!, today: today! },
  ];
}

function* histories(before: readonly Turn[], now: readonly Turn[]): Generator<Sides> {
  for (let index = 0; index < Math.max(before.length, now.length); index++) {
    const [recorded, today] = [before[index], now[index]].map(showTurn);
    yield { part: `turn ${index + 1}`, recorded: recorded!, today: today! };
  }
}

function showTurn(turn: Turn | undefined): string {
  return turn ? `${turn.role}:\n${textOf(turn)}` : "(no such turn)";
}

const MAX_LINES = 6;
const MAX_COLUMNS = 110;

/** For people: where it is, and the first lines that differ on both sides. */
export function describeDifference({ agent, part, recorded, today }: Difference): string {
  const before = recorded.split("\n");
  const now = today.split("\n");
  const same = commonStart(before, now);
  const ending = commonStart(before.slice(same).toReversed(), now.slice(same).toReversed());
  const place = same > 0 ? `, line ${same + 1}` : "";
  const column = commonStart(before[same] ?? "", now[same] ?? "");
  return [
    `${displayName(agent)}, ${part}${place} (- recorded, + today):`,
    ...excerpt("-", before.slice(same, before.length - ending), column),
    ...excerpt("+", now.slice(same, now.length - ending), column),
  ].join("\n");
}

/** Where two texts, or their lines, begin to differ. */
function commonStart(a: ArrayLike<string>, b: ArrayLike<string>): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

function excerpt(mark: string, lines: readonly string[], column: number): readonly string[] {
  const rest = lines.length - MAX_LINES;
  return [
    ...lines.slice(0, MAX_LINES).map((line) => `${mark} ${cut(line, column)}`),
    ...(rest > 0 ? [`${mark} (${rest} more lines)`] : []),
  ];
}

/** Of a long line, what stands around `column`. */
function cut(line: string, column: number): string {
  if (line.length <= MAX_COLUMNS) return line;
  const from = Math.max(0, Math.min(column - MAX_COLUMNS / 2, line.length - MAX_COLUMNS));
  const to = from + MAX_COLUMNS;
  return `${from > 0 ? "…" : ""}${line.slice(from, to)}${to < line.length ? "…" : ""}`;
}
