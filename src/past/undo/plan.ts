// Which files can be taken back, and to what: newest change first, each only where its file still is as that change left it. Pure.

import type { AgentId } from "../../domain/message/message.ts";
import { isSame, type Edit, type PathVersion } from "./version.ts";

/** One change that is to be taken back. */
export interface MadeEdit {
  readonly agent: AgentId;
  /** The event that tells of it. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** The folder in which its path begins, relative to the home. */
  readonly root: string;
  readonly edit: Edit;
  /** Who is told if it is taken back; absent: its agent. */
  readonly tells?: readonly AgentId[];
}

/** One path, from what stands there to what shall. */
export interface UndoStep {
  readonly root: string;
  readonly path: string;
  readonly from: PathVersion;
  readonly to: PathVersion;
  /** Who keeps the bytes. */
  readonly keeper: AgentId;
  /** Whose changes are taken back. */
  readonly agents: readonly AgentId[];
  /** The events that tell of them, `<agent>.<seq>`, newest first. */
  readonly events: readonly string[];
}

/** A change that stays, with both sides. */
export interface LeftEdit {
  readonly made: MadeEdit;
  readonly why: string;
  readonly now: PathVersion;
}

export interface UndoPlan {
  readonly steps: readonly UndoStep[];
  readonly left: readonly LeftEdit[];
  /** Paths that are as they were before. */
  readonly already: number;
}

export const CHANGED = "it was changed since";

/** @param now what stands at a path */
export async function planUndo(
  edits: readonly MadeEdit[],
  now: (root: string, path: string) => Promise<PathVersion>,
): Promise<UndoPlan> {
  const paths = new Map<string, MadeEdit[]>();
  // Of one call the last change counts as the newest.
  for (const made of edits.toReversed().toSorted(newestFirst)) {
    const name = JSON.stringify([made.root, made.edit.path]);
    const others = paths.get(name);
    if (others) others.push(made);
    else paths.set(name, [made]);
  }
  const plans: PathPlan[] = [];
  for (const made of paths.values()) plans.push(planPath(made, await now(made[0]!.root, made[0]!.edit.path)));
  return {
    steps: plans.flatMap(({ step }) => step ?? []).toSorted(inOrder),
    left: plans.flatMap(({ left }) => left),
    already: plans.filter(({ isAlready }) => isAlready).length,
  };
}

interface PathPlan {
  readonly step?: UndoStep;
  readonly left: readonly LeftEdit[];
  readonly isAlready: boolean;
}

/** @param made all of one path, newest first */
function planPath(made: readonly MadeEdit[], from: PathVersion): PathPlan {
  const rest = made.filter(({ edit }) => edit.unkept !== undefined || !isSame(edit.before, edit.after));
  const [agents, events] = [new Set<AgentId>(), new Set<string>()];
  const { root, edit } = made[0]!;
  let [to, keeper] = [from, ""];
  let why = from.kind === "other" ? from.why : CHANGED;
  // Only the newest: whoever put there again what an older change left had seen the newer ones.
  for (let next = rest[0]; next && isSame(next.edit.after, to); next = rest[0]) {
    if (next.edit.unkept !== undefined) {
      why = `what stood there is not kept: ${next.edit.unkept}`;
      break;
    }
    [to, keeper] = [next.edit.before, next.agent];
    for (const agent of next.tells ?? [next.agent]) agents.add(agent);
    events.add(`${next.agent}.${next.seq}`);
    rest.shift();
  }
  const isAlready = agents.size === 0 && rest.length > 0 && isSame(from, rest.at(-1)!.edit.before);
  const left = isAlready ? [] : rest.map((one) => ({ made: one, why: reasonFor(one, why), now: to }));
  if (agents.size === 0 || isSame(from, to)) return { left, isAlready };
  const whose = { agents: [...agents], events: [...events] };
  return { step: { root, path: edit.path, from, to, keeper, ...whose }, left, isAlready };
}

function reasonFor({ edit: { unkept, after } }: MadeEdit, why: string): string {
  if (unkept !== undefined) return `what stood there is not kept: ${unkept}`;
  return after.kind === "other" ? `nobody can tell whether it is as it was left: ${after.why}` : why;
}

function newestFirst(a: MadeEdit, b: MadeEdit): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  return a.agent === b.agent ? b.seq - a.seq : 0;
}

/** What is in a folder goes before it does, and comes after it. */
function inOrder(a: UndoStep, b: UndoStep): number {
  const rank = ({ from, to }: UndoStep): number => {
    if (from.kind === "folder") return 1;
    return to.kind === "folder" ? 2 : to.kind === "nothing" ? 0 : 3;
  };
  const depth = ({ path }: UndoStep): number => path.split("/").length;
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  return rank(a) === 1 ? depth(b) - depth(a) : depth(a) - depth(b);
}
