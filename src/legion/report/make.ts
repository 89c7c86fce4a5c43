// The report of a legion, from what each of its agents adds to it, one after the other: only sums and the lines that are told stay in
// memory.

import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import { addCharge, fromRow, NO_CHARGE } from "../../past/digest/charges/charge.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { recordedKnots } from "../knots/recorded.ts";
import { openQuestionsOf } from "../questions.ts";
import type { AgentStatus } from "../status.ts";
import { createRoots, spentBy } from "./asked.ts";
import { createChanged } from "./changed.ts";
import { createOdd } from "./odd.ts";
import { readParts } from "./read-parts.ts";
import type { Report, ReportWaiting } from "./report.ts";
import { tellAsked } from "./tell-asked.ts";
import { letterOf, waitingOf } from "./waiting.ts";

export interface ReportedLegion {
  readonly reader: Reader;
  /** How every agent stands. */
  readonly statuses: readonly AgentStatus[];
  /** How long a question waits for an answer. */
  readonly expireMs: number;
}

export interface ReportWish {
  /** In milliseconds since 1970; absent: all that is recorded. */
  readonly sinceMs?: number | undefined;
  readonly nowMs: number;
  /** How many lines a part has; Infinity: all of them. */
  readonly most: number;
}

/** Rejects where the logs of nobody can be read. */
export async function makeReport(legion: ReportedLegion, wish: ReportWish): Promise<Report> {
  const { sinceMs = -Infinity, nowMs, most } = wish;
  const { reader, statuses, expireMs } = legion;
  const own = await reader.digest(CONTROL);
  const [roots, odd, changed] = [createRoots(sinceMs), createOdd(), createChanged(most)];
  const [standing, left, letters]: [AgentStatus[], AgentId[], ReportWaiting[]] = [[], [], []];
  let [charge, worked, hasOlderLetters] = [NO_CHARGE, 0, false];
  const parts = readParts(legion, own, { sinceMs, most }, odd.addUnread);
  for await (const { agent, part, status, mail } of parts) {
    hasOlderLetters ||= part.isDeadCut;
    for (const dead of part.dead.filter(({ id }) => !own.incidents.resent.has(id))) {
      letters.push(letterOf(agent, dead));
      roots.addDead(dead);
    }
    // The person's own log is opened by every command that writes.
    if (agent === CONTROL) continue;
    odd.add(agent, part.inTime.odd, status);
    roots.add(agent, part, status);
    changed.add(agent, part.inTime.deeds, roots);
    const spent = fromRow(part.inTime.charge);
    charge = addCharge(charge, spent);
    worked += Number(spent.steps > 0);
    if (!status) continue;
    roots.addUnread(status, mail);
    odd.addUntaken(agent, status.node === null ? mail : []);
    standing.push(status);
    if (status.state === "stopped" && (!part.isDone || status.unread > 0)) left.push(agent);
  }
  const asking = statuses.filter(({ waits }) => waits.some((wait) => wait.for === "answer"));
  const questions = await openQuestionsOf(
    asking.map(({ id }) => id),
    reader,
    expireMs,
  );
  const { asked, states } = await tellAsked(roots, { reader, own, sinceMs, most });
  for (const knot of await recordedKnots(reader, statuses)) odd.addKnot(knot);
  const odds = odd.all();
  const withText = <T extends { readonly cause: string | null }>(one: T) => ({
    ...one,
    asked: one.cause === null ? null : roots.openingOf(one.cause),
  });
  const [files, commands] = [await changed.files(reader, own.takenBack), changed.commands()];
  return {
    ...{ since: sinceMs === -Infinity ? null : new Date(sinceMs).toISOString() },
    ...{
      until: new Date(nowMs).toISOString(),
      agents: statuses.length,
      worked,
      spent: spentBy(charge),
      states,
    },
    waiting: waitingOf({ questions, statuses: standing, left, letters, hasOlderLetters }, most),
    asked,
    odd: { items: odds.slice(0, most), total: odds.length, isMore: false },
    changed: { ...files, items: files.items.map(withText) },
    commands: { ...commands, items: commands.items.map(withText) },
  };
}
