// What is believed of an archive: a line may have the right checksum and still be made to break whoever reads it.

import { foldName } from "../folder/file-name.ts";
import { placeOf } from "../files/segments.ts";
import { parseMessageId, type AgentId } from "../../domain/message.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Far more than any project has starts; the next one counts on from it. */
const MAX_EPOCH = 1_000_000_000;
/** Numbers of events and messages count on, too. */
const MAX_COUNT = 1_000_000_000_000;
const MAX_PATH_PARTS = 2;
const MAX_NAME_BYTES = 255;
const UNSAFE_NAME = /^\.|[\\/:\p{Cc}]/u;
/** Ids of logs are one line, and short: they stand in every message. */
const LOG_ID = /^\P{Cc}{1,200}$/u;
const MESSAGE_ID = /^[^>#\p{Cc}]{1,200}>[^>#\p{Cc}]{1,200}#\d{1,12}$/u;
const JOURNALS = ["log", "mailbox"];
const BLOB = /^[0-9a-f]{64}$/;

/** May an archive put a file there? `path` is relative to the agent's folder; journals have lines of their own. */
export function isPathInAgent(path: unknown): path is string {
  if (typeof path !== "string") return false;
  const names = path.split("/");
  const [top = "", name] = names;
  if (names.length > MAX_PATH_PARTS || names.some((part) => !isSafeName(part))) return false;
  if (foldName(top) === "blobs") return top === "blobs" && name !== undefined && BLOB.test(name);
  return !JOURNALS.includes(foldName(top));
}

function isSafeName(name: string): boolean {
  return name !== "" && !UNSAFE_NAME.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES;
}

export function isSegmentName(name: unknown): name is string {
  const place = typeof name === "string" ? placeOf(name) : undefined;
  return place !== undefined && place.epoch <= MAX_EPOCH && place.part <= MAX_EPOCH;
}

export function isLogId(id: unknown): id is string {
  return typeof id === "string" && LOG_ID.test(id);
}

/** Is it a message to `agent`, whole enough for everything that reads mailboxes? */
export function isMailTo(agent: AgentId, message: unknown): boolean {
  return isMessage(message) && parseMessageId(String((message as Fields)["id"])).to === agent;
}

/** True if a line of a log has what everything that reads logs takes for granted. */
export function isEventShaped(event: Fields): boolean {
  if (!isCount(event["seq"]) || event["seq"] === 0 || !isTime(event["at"])) return false;
  if (!isCount(event["epoch"]) || Number(event["epoch"]) > MAX_EPOCH) return false;
  if (!hasSoundOutline(event)) return false;
  // What a later version of this format adds is passed over.
  return SHAPES.get(String(event["kind"]))?.(event) ?? typeof event["kind"] === "string";
}

const SHAPES: ReadonlyMap<string, (event: Fields) => boolean> = new Map([
  ["opened", ({ log, seals }: Fields) => isLogId(log) && isRecord(seals) && areSeals(seals)],
  ["message", ({ message, mail, from }) => isMessage(message) && isCount(mail) && isLogId(from)],
  [
    "prompted",
    ({ model, prompt, introduction, pinned, reserved }) =>
      areTexts(model, prompt, introduction) && isMaybe(pinned, isText) && isUsage(reserved),
  ],
  ["refused", ({ prompted, status }) => isCount(prompted) && isMaybe(status, isCount)],
  [
    "decision",
    ({ text, thoughts, calls, sends, protocol, model, usage, cost, stop }) =>
      areTexts(text, protocol, model, stop) &&
      isMaybe(thoughts, isText) &&
      isListOf(calls, isCall) &&
      isMaybe(sends, isMessages) &&
      isUsage(usage) &&
      isMaybe(cost, isAmount),
  ],
  [
    "result",
    ({ call, outcome, content, state, sends, usage }) =>
      (call === null || isText(call)) &&
      areTexts(outcome, content) &&
      isMaybe(state, isChanges) &&
      isMaybe(sends, isMessages) &&
      isMaybe(usage, isUsage),
  ],
  [
    "approval",
    ({ call, asked, verdict, by, reason }) =>
      isText(call) && [asked, verdict, by, reason].every((value) => isMaybe(value, isText)),
  ],
  [
    "summary",
    ({ covers, content, strategy, usage }) =>
      isListOf(covers, isCount) && covers.length === 2 && areTexts(content, strategy) && isUsage(usage),
  ],
  ["branch", ({ to, origin }) => isCount(to) && isMaybe(origin, isText)],
  ["sent", ({ upTo }) => isCount(upTo)],
  ["edited", ({ module, key }) => areTexts(module, key)],
  ["notice", ({ reason, content, sends }) => areTexts(reason, content) && isMaybe(sends, isMessages)],
]);

function isMessage(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { id, type, source, targetAgentIds, content, sentAt, delivery, cause, re, root, hops } = value;
  if (!areTexts(id, type, content, sentAt, delivery, root) || !isCount(hops)) return false;
  if (!isMaybe(cause, isText) || !isMaybe(re, isText) || !isListOf(targetAgentIds, isText)) return false;
  if (!isRecord(source) || (source["type"] === "agent" ? !isText(source["id"]) : source["type"] !== "user"))
    return false;
  return MESSAGE_ID.test(String(id));
}

/** Long texts may only have stood where an empty one stands now. */
function hasSoundOutline({ blobs, ...event }: Fields): boolean {
  if (blobs === undefined) return true;
  return isListOf(blobs, (entry) => {
    if (!Array.isArray(entry) || !Array.isArray(entry[0]) || !BLOB.test(String(entry[1]))) return false;
    return entry[0].reduce<unknown>(memberOf, event) === "";
  });
}

function memberOf(value: unknown, key: unknown): unknown {
  const isKey = typeof key === "string" || typeof key === "number";
  if (typeof value !== "object" || value === null || !isKey || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string | number, unknown>>)[key];
}

function areSeals(seals: Fields): boolean {
  return Object.values(seals).every(isCount);
}

function isCall(value: unknown): boolean {
  return isRecord(value) && areTexts(value["id"], value["action"]);
}

function isMessages(value: unknown): boolean {
  return isListOf(value, isMessage);
}

function isChanges(value: unknown): boolean {
  return isListOf(value, (change) => Array.isArray(change) && areTexts(change[0], change[1]));
}

function isUsage(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { input, output, cacheRead, cacheWrite, cost } = value;
  return (
    isAmount(input) &&
    isAmount(output) &&
    [cacheRead, cacheWrite, cost].every((part) => isMaybe(part, isAmount))
  );
}

function isMaybe(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value);
}

function isListOf(value: unknown, is: (item: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every((item) => is(item));
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** What is no time would make every sum of times none. */
function isTime(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}

/** A whole number from 0 up that can still be counted on from. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_COUNT;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
