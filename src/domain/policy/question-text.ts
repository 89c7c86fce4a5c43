// A question in words, for the person who answers it. All in it may be hostile: it is shown as it is meant to be read.

import { fieldsOf } from "../../base/json.ts";
import { showUnseen } from "../../base/unseen.ts";
import { elide } from "../../base/wording.ts";
import type { AskedCall } from "../event.ts";
import type { Touch } from "./rule.ts";

/** So much of one thing is shown whole, in characters; of more, the length stands with it. */
const MAX_SHOWN = 4_000;
const MAX_THINGS = 50;
const MAX_SOURCES = 3;

/** A call as it is asked about. */
export interface PosedCall extends AskedCall {
  /** As the model wrote them. */
  readonly parameters: unknown;
}

/** Some lines, the first of them with `id`. */
export function questionText(id: string, name: string, asked: PosedCall): string {
  const { action, rule, authority = [], taint = [] } = asked;
  const things = thingsIn(asked);
  const more = things.length > MAX_THINGS ? [`and ${things.length - MAX_THINGS} more`] : [];
  return [
    `${name} asks ${id}: may I call ${showUnseen(action)}?`,
    ...[...things.slice(0, MAX_THINGS), ...more].map(indented),
    `Asked because of: ${showUnseen(rule)}.`,
    ...(authority.length > 0 ? [`In the name of: ${authority.join(", ")}.`] : []),
    ...(taint.length > 0 ? [`It has read text from outside: ${sources(taint)}.`] : []),
    `legion approve ${id}, or legion deny ${id} and why`,
  ].join("\n");
}

/** What it touches, and what of its parameters that does not show. */
function thingsIn({ touches, besides, parameters }: PosedCall): readonly string[] {
  const all = [...touches, ...besides].filter(({ kind }) => kind !== "action");
  if (all.some(({ kind }) => kind === "anything")) return all.map(wordsFor);
  const commands = all.flatMap((touch) => (touch.kind === "run" ? touch.command : []));
  const rest = Object.entries(fieldsOf(parameters)).filter(
    ([name, value]) => name !== "thoughts" && !commands.includes(String(value)),
  );
  const written = rest.map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${showUnseen(name)}: ${shown(text)}`;
  });
  return [...all.map(wordsFor), ...written];
}

/** What a call touches, in a few words; it may have several lines. */
export function wordsFor(touch: Touch): string {
  switch (touch.kind) {
    case "run":
      return `run ${shown(touch.command)}`;
    case "read":
    case "write": {
      const way = touch.real === touch.asked ? "" : `, which leads to ${shown(touch.real)}`;
      return `${touch.kind} ${shown(touch.asked)}${way}`;
    }
    case "net":
      return `reach ${shown(touch.host)}:${touch.port}${touch.by === "command" ? " from a command" : ""}`;
    case "send":
      return `send to ${shown(touch.to)}`;
    case "action":
      return `call ${shown(touch.name)}`;
    case "anything":
      return `call ${shown(touch.call)}`;
  }
}

/** `text` with what nobody sees written out. */
export function shown(text: string): string {
  const visible = text.split("\n").map(showUnseen).join("\n");
  return visible.length <= MAX_SHOWN ? visible : `(${text.length} characters) ${elide(visible, MAX_SHOWN)}`;
}

/** No line of what is asked can be taken for one of ours. */
function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}

function sources(taint: readonly string[]): string {
  const more = taint.length > MAX_SOURCES ? `, and ${taint.length - MAX_SOURCES} more` : "";
  return taint.slice(0, MAX_SOURCES).map(shown).join(", ") + more;
}
