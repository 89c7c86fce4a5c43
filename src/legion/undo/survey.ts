// What an undo would come to.

import type { AgentId } from "../../domain/message/message.ts";
import { CONTROL, isMessageId } from "../../domain/message/message.ts";
import type { Act } from "../../past/undo/acts.ts";
import { versionOf } from "../../past/undo/kept.ts";
import { planUndo, type MadeEdit, type UndoPlan } from "../../past/undo/plan.ts";
import type { PathVersion } from "../../past/undo/version.ts";
import { readUndo } from "./carry-out.ts";
import { chooseActs, type ChosenActs } from "./choose.ts";
import { keptIn, standingAt, type UndoSite } from "./place.ts";
import { beyondOf, doneOf, leftOf, overlappedOf, sharedOf } from "./report.ts";
import type { UndoReport } from "../../domain/undo/report.ts";

export interface Surveyed extends ChosenActs, UndoPlan {
  /** Acts of which something is kept. */
  readonly kept: ReadonlySet<Act>;
  /** Commands of which it is not known what they changed, with why. */
  readonly unknown: ReadonlyMap<Act, string>;
  /** What commands changed beside others: it stays, unless a person names the very command. */
  readonly overlapped: UndoReport["shared"];
  /** Agents that are in the middle of a call that is to be taken back: their process was killed. */
  readonly busy: readonly AgentId[];
}

/** Writes nothing. Throws USAGE if no log has `what`. */
export async function survey(what: string, site: UndoSite): Promise<Surveyed> {
  const chosen = await chooseActs(site.reader, what);
  const keptOf = keptIn(site);
  const edits: MadeEdit[] =
    chosen.ofControl === undefined ? [] : [...(await editsOfUndo(chosen.ofControl, site))];
  const kept = new Set<Act>();
  const unknown = new Map<Act, string>();
  const overlapped: UndoReport["shared"][number][] = [];
  for (const act of chosen.acts) {
    const own = keptOf(act.agent);
    const call = (await own.holds(act.key)) ? await own.call(act.key) : undefined;
    if (!call) continue;
    kept.add(act);
    const { agent, seq, at } = act;
    if (call.unknown !== undefined) unknown.set(act, call.unknown);
    const made = call.edits.map((edit) => ({ agent, seq, at, root: call.root, edit }));
    if (call.isShared && isMessageId(what))
      overlapped.push(...made.map((one) => overlappedOf(act, one, site.paths)));
    else edits.push(...made);
  }
  const now = async (root: string, path: string): Promise<PathVersion> =>
    versionOf(await standingAt({ root, path }, site));
  const busy = new Set([...kept].flatMap(({ outcome, agent }) => (outcome === undefined ? agent : [])));
  return { ...chosen, kept, unknown, overlapped, busy: [...busy], ...(await planUndo(edits, now)) };
}

/** What an undo changed, as changes of Control. */
async function editsOfUndo(seq: number, site: UndoSite): Promise<readonly MadeEdit[]> {
  const { planned, at } = await readUndo(site, (event) => event.seq === seq);
  return (planned?.steps ?? []).map(({ root, path, from, to, agents: tells }) => {
    const edit = { path, before: from, after: to };
    return { agent: CONTROL, seq, at, root, edit, tells };
  });
}

/** @param event the notice in log 0 that says it; null: nothing was changed */
export function reportOf(surveyed: Surveyed, { paths }: UndoSite, event: number | null): UndoReport {
  const { acts, kept, unknown, overlapped, steps, left, already, shared, foreign } = surveyed;
  return {
    event,
    done: steps.map((step) => doneOf(step, paths)),
    left: left.map((one) => leftOf(one, paths)),
    already,
    shared: [...shared.filter((act) => beyondOf([act], new Set()).length > 0).map(sharedOf), ...overlapped],
    beyond: beyondOf(acts, kept, unknown),
    foreign,
  };
}
