// Takes back what was done for a message: the plan is a notice in the log of Control, then each file is put back, then it is said that it is
// done. Whoever is killed in between leaves a mark in the home, and the next one that has the home alone goes on.
//
//   U0. No byte that an undo replaces is lost: it is kept before, and a file that is not as the agent left it stays.

import { randomUUID } from "node:crypto";
import { begin, finishUndo, keepReplaced } from "./carry-out.ts";
import { chooseActs } from "./choose.ts";
import type { UndoPlace, UndoSite } from "./place.ts";
import type { UndoReport } from "../../domain/undo/report.ts";
import { reportOf, survey } from "./survey.ts";

/** Throws USAGE if no log has `what`, FOREIGN if only one that somebody else wrote may. */
export async function checkChoice(what: string, { reader }: Pick<UndoSite, "reader">): Promise<void> {
  await chooseActs(reader, what);
}

/** What an undo would come to. Writes nothing. Throws as `checkChoice`. */
export async function previewUndo(what: string, site: UndoSite): Promise<UndoReport> {
  return reportOf(await survey(what, site), site, null);
}

/**
 * Takes back what was done for `what`, of agents none of which runs a call meanwhile; first what an undo before did not finish. The log of
 * Control tells of it whatever it came to. Throws as `checkChoice`.
 */
export async function undo(what: string, place: UndoPlace): Promise<UndoReport> {
  await finishUndo(place);
  const surveyed = await survey(what, place);
  const id = randomUUID();
  const { kept, left } = await keepReplaced(id, surveyed.steps, place);
  const staying = { ...surveyed, steps: kept, left: [...surveyed.left, ...left] };
  const { event: _, ...report } = reportOf(staying, place, null);
  const begun = await begin({ undo: id, what, busy: surveyed.busy, steps: kept, report }, place);
  const steps = kept.filter((step) => !begun.left.has(step));
  return reportOf({ ...staying, steps, left: [...staying.left, ...begun.left.values()] }, place, begun.event);
}
