// What an undo comes to, in words: for a terminal and for a page.

import { count } from "../../base/text/wording.ts";
import { displayName } from "../message/message.ts";
import type { UndoReport } from "./report.ts";

/** A sentence and what belongs to it. Paths and reasons stand there as they are: whoever shows them takes care of that. */
export interface UndoWords {
  readonly head: string;
  readonly lines: readonly UndoLine[];
}

interface UndoLine {
  readonly text: string;
  readonly details?: readonly string[];
}

const MAX_EVENTS = 10;

/** In the order in which they matter. `planned`: nothing has been done yet. */
export function undoWords(report: UndoReport, how: "planned" | "done"): readonly UndoWords[] {
  const { done, left, already, shared, beyond, foreign } = report;
  const parts: readonly UndoWords[] = [
    {
      head: doneHead(report, how),
      lines: done.map(({ path, from, to }) => ({ text: `${path}: ${from} -> ${to}` })),
    },
    { head: already > 0 ? `As before already: ${count(already, "path")}.` : "", lines: [] },
    { head: left.length > 0 ? "Stays as it is:" : "", lines: left.map(leftLine) },
    {
      head:
        shared.length > 0
          ? "May have been done for something or by somebody else as well, and stays; `legion undo <event>` takes one back:"
          : "",
      lines: shared.map(({ event, action, path = "" }) => ({ text: `${event} ${action} ${path}`.trim() })),
    },
    ...foreign.map((id) => ({
      head: `Nothing that ${displayName(id)} did: it was not written on your machines; \`legion start --trust\` takes it on.`,
      lines: [],
    })),
    { head: beyond.length > 0 ? "Cannot be taken back:" : "", lines: beyond.map(beyondLine) },
  ];
  return parts.filter(({ head }) => head !== "");
}

/** It has not begun yet. @param agents whose calls it waits for; empty: an undo before it is under way */
export function undoLater(agents: string): string {
  const whose = agents === "" ? "an undo before it has" : `the calls of ${agents} have`;
  return `It happens once ${whose} ended; \`legion log 0\` shows it then.`;
}

function doneHead({ event, done }: UndoReport, how: "planned" | "done"): string {
  if (done.length === 0)
    return how === "planned" ? "Nothing would be taken back." : "Nothing was taken back.";
  const changes = count(done.length, "change");
  if (how === "planned") return `Would take back ${changes}:`;
  return `Took back ${changes}; \`legion undo 0.${event}\` brings ${done.length === 1 ? "it" : "them"} back:`;
}

function leftLine({ path, event, why, before, after, now }: UndoReport["left"][number]): UndoLine {
  const details = [`before: ${before}`, `as it was left: ${after}`, `now: ${now}`];
  return { text: `${path}${event === null ? "" : ` (${event})`}: ${why}`, details };
}

function beyondLine({ what, events }: UndoReport["beyond"][number]): UndoLine {
  const more = events.length - MAX_EVENTS;
  const named = events.slice(0, MAX_EVENTS).join(", ");
  return { text: `${what}: ${named}${more > 0 ? ` and ${more} more` : ""}` };
}
