// A question in words, for the person who answers it. All in it may be hostile: it is shown as it is meant to be read.

import { showUnseen } from "../../base/unseen.ts";
import { elide } from "../../base/wording.ts";
import type { AskedCall } from "../event.ts";
import type { Touch } from "./rule.ts";

/** So much of one thing is shown whole, in characters; of more, the length stands with it. */
const MAX_SHOWN = 4_000;
const MAX_SOURCES = 3;

/** Some lines, the first of them with `id`. */
export function questionText(id: string, name: string, asked: AskedCall): string {
  const { action, touches, besides, rule, authority = [], taint = [] } = asked;
  return [
    `${name} asks ${id}: may I call ${shown(action)}?`,
    ...[...touches, ...besides]
      .filter(({ kind }) => kind !== "action")
      .map((touch) => indented(wordsFor(touch))),
    `Asked because of: ${shown(rule)}.`,
    ...(authority.length > 0 ? [`In the name of: ${authority.join(", ")}.`] : []),
    ...(taint.length > 0 ? [`It has read text from outside: ${sources(taint)}.`] : []),
    `legion approve ${id}, or legion deny ${id} and why`,
  ].join("\n");
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
