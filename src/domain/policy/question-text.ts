// A question in words, for the person who answers it. All in it may be hostile: it is shown as it is meant to be read.

import { fieldsOf } from "../../base/text/json.ts";
import { showUnseen } from "../../base/text/unseen.ts";
import { elide } from "../../base/text/wording.ts";
import type { AskedCall } from "../event/approval.ts";
import { displayName } from "../message/message.ts";
import type { Touch } from "./rule.ts";

/** So much of one thing is shown whole, in characters; of more, the length stands with it. */
const MAX_SHOWN = 4_000;
const MAX_THINGS = 50;
const MAX_SOURCES = 3;

/** A call that is asked about, with what its action was given as far as that is known. */
export interface ShownCall extends AskedCall {
  readonly parameters?: unknown;
}

/** `whole`: of any length. Else what is long is cut, with its length. */
export type ShownLength = "cut" | "whole";

/** Some lines, the first of them with `id`. */
export function questionText(
  id: string,
  name: string,
  asked: ShownCall,
  length: ShownLength = "cut",
): string {
  return [
    `${name} asks ${id}: may I call ${showUnseen(asked.action)}?`,
    ...callLines(asked, length),
    ...reasonLines(asked),
    answerWays(id),
  ].join("\n");
}

/** The same text, as `questionText` or who sent it says it, where the commands that answer it are about that run. */
export function askedIn(run: string, id: string, text: string): string {
  const ways = answerWays(id);
  return text.endsWith(ways) ? text.slice(0, -ways.length) + answerWays(id, ` --run ${run}`) : text;
}

function answerWays(id: string, place = ""): string {
  return `legion approve ${id}${place}, or legion deny ${id}${place} and why`;
}

/** What the call would do, indented, so that no line of it can be taken for one of ours. */
export function callLines(
  { touches, besides, parameters }: ShownCall,
  length: ShownLength,
): readonly string[] {
  const [most, mostThings] = length === "whole" ? [Infinity, Infinity] : [MAX_SHOWN, MAX_THINGS];
  const touched = [...touches, ...besides].filter(({ kind }) => kind !== "action");
  const things = [
    ...touched.map((touch) => wordsFor(touch, most)),
    ...unsaid(parameters, touched).map(([name, value]) => `${showUnseen(name)}: ${shown(value, most)}`),
  ];
  const more = things.length > mostThings ? [`and ${things.length - mostThings} more`] : [];
  return [...things.slice(0, mostThings), ...more].flatMap((text) =>
    `    ${text.replaceAll("\n", "\n      ")}`.split("\n"),
  );
}

/** Past this a call is never shown whole unasked, in characters: to find out would take long. */
const MAX_TRIED = 200_000;

/** Are all of its lines whole though they may be cut? */
export function isShownWhole(asked: ShownCall): boolean {
  if (JSON.stringify(asked).length > MAX_TRIED) return false;
  return callLines(asked, "cut").join("\n") === callLines(asked, "whole").join("\n");
}

/** Why it is asked. */
export function reasonLines({ rule, authority = [], taint = [] }: AskedCall): readonly string[] {
  return [
    `Asked because of: ${showUnseen(rule)}.`,
    ...(authority.length > 0 ? [`In the name of: ${authority.map(displayName).join(", ")}.`] : []),
    ...(taint.length > 0 ? [`It has read text from outside: ${sources(taint)}.`] : []),
  ];
}

/** What an action was given beside what it says that it touches, and beside why. */
function unsaid(parameters: unknown, touched: readonly Touch[]): readonly (readonly [string, string])[] {
  if (touched.some(({ kind }) => kind === "anything")) return [];
  return Object.entries(fieldsOf(parameters))
    .filter(([name, value]) => name !== "thoughts" && !touched.some((touch) => says(touch, value)))
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
}

/** Does `value` stand in the words for `touch`? */
function says(touch: Touch, value: unknown): boolean {
  switch (touch.kind) {
    case "run":
      return touch.command === value;
    case "read":
    case "write":
      return touch.asked === value || touch.asked.endsWith(`/${String(value)}`);
    case "net":
      return touch.host === value;
    case "send":
      return touch.to === value;
    default:
      return false;
  }
}

/** What a call touches, in a few words; it may have several lines. */
export function wordsFor(touch: Touch, most = MAX_SHOWN): string {
  const shownHere = (text: string): string => shown(text, most);
  switch (touch.kind) {
    case "run":
      return `run ${shownHere(touch.command)}`;
    case "read":
    case "write": {
      const way = touch.real === touch.asked ? "" : `, which leads to ${shownHere(touch.real)}`;
      return `${touch.kind} ${shownHere(touch.asked)}${way}`;
    }
    case "net":
      return `reach ${shownHere(touch.host)}:${touch.port}${touch.by === "command" ? " from a command" : ""}`;
    case "send":
      return `send to ${shownHere(touch.to)}`;
    case "action":
      return `call ${shownHere(touch.name)}`;
    case "anything":
      return `call ${shownHere(touch.call)}`;
  }
}

/** `text` with what nobody sees written out; past `most` characters it is cut, with its length. */
export function shown(text: string, most = MAX_SHOWN): string {
  const visible = text.split("\n").map(showUnseen).join("\n");
  return visible.length <= most ? visible : `(${text.length} characters) ${elide(visible, most)}`;
}

function sources(taint: readonly string[]): string {
  const more = taint.length > MAX_SOURCES ? `, and ${taint.length - MAX_SOURCES} more` : "";
  return (
    taint
      .slice(0, MAX_SOURCES)
      .map((source) => shown(source))
      .join(", ") + more
  );
}
