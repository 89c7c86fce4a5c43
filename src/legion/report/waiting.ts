// What waits for the person, and the command that goes on with each.

import { displayName, type AgentId } from "../../domain/message/message.ts";
import { callLines, isShownWhole } from "../../domain/policy/question-text.ts";
import { showUnseen } from "../../base/text/unseen.ts";
import { elide } from "../../base/text/wording.ts";
import type { OpenQuestion } from "../questions.ts";
import type { AgentStatus } from "../status.ts";
import { createGroup } from "./group.ts";
import type { DeadInLog } from "./part.ts";
import { WAITING_KINDS, type ReportGroup, type ReportWaiting } from "./report.ts";

export interface WaitingFound {
  readonly questions: readonly OpenQuestion[];
  readonly statuses: readonly AgentStatus[];
  /** Agents that have something to do and that nobody runs. */
  readonly left: readonly AgentId[];
  readonly letters: readonly ReportWaiting[];
  /** Of some log only the newest letters are known. */
  readonly hasOlderLetters: boolean;
}

/** What cannot be done without the person is first, then the longest wait. */
export function waitingOf(found: WaitingFound, most: number): ReportGroup<ReportWaiting> {
  const group = createGroup<ReportWaiting>(most, byKind);
  for (const question of found.questions) {
    const { id, agent, since, isAnswered } = question;
    if (isAnswered) continue;
    const wish = wishOf(question);
    const text = elide(wish, MOST_CHARS);
    // Nobody says yes to what they were not shown.
    const isWhole = text === wish && isShownWhole(question);
    const way = isWhole ? `legion approve ${id}` : `legion approvals ${id}`;
    group.add({ kind: "question", id, agent, text, since, way });
  }
  for (const status of found.statuses) {
    const { id, state: kind, reason: text, since, waits } = status;
    if (kind !== "parked" && kind !== "paused" && kind !== "halted") continue;
    group.add({ kind, id, agent: id, text, since, way: waits[0]?.way ?? `legion resume ${id}` });
  }
  const { left } = found;
  if (left.length > 0) {
    const who = left.length > 3 ? `${left.length} agents` : left.map(displayName).join(", ");
    const text = `${who}: work is left, and nobody runs it`;
    group.add({ kind: "start", id: "", agent: left[0]!, text, since: null, way: "legion start" });
  }
  for (const letter of found.letters) group.add(letter);
  if (found.hasOlderLetters) group.cut();
  return group.group();
}

export function letterOf(agent: AgentId, { id, at, text, mail }: DeadInLog): ReportWaiting {
  const to = mail.to.map(displayName).join(", ");
  return { kind: "dead", id, agent, text: `to ${to}: ${text}`, since: at, way: `legion resend ${id}` };
}

const MOST_CHARS = 400;

/** The call, and what it would touch. */
function wishOf(question: OpenQuestion): string {
  const things = callLines(question, "cut").map((line) => line.trim());
  const name = showUnseen(question.action);
  // One that touches anything is told by its name and what it was given.
  const first = things[0]?.startsWith(`call ${name}`) ? [] : [name];
  return [...first, ...things].join(" · ");
}

function byKind(a: ReportWaiting, b: ReportWaiting): number {
  const rank = ({ kind }: ReportWaiting): number => WAITING_KINDS.indexOf(kind);
  return rank(a) - rank(b) || (a.since ?? "").localeCompare(b.since ?? "");
}
