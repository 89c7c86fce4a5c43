// What is told of an undo.

import { relative, resolve } from "node:path";
import { isMemoryId } from "../../domain/memory/memory-id.ts";
import { count } from "../../base/text/wording.ts";
import type { Act } from "../../past/undo/acts.ts";
import type { LeftEdit, MadeEdit, UndoStep } from "../../past/undo/plan.ts";
import { keptPath } from "../../past/undo/kept.ts";
import type { PathVersion } from "../../past/undo/version.ts";
import type { UndoReport } from "../../domain/undo/report.ts";
import type { LegionPaths } from "../../storage/folder/paths.ts";

/** A version in a few words. */
export function wordsFor(version: PathVersion): string {
  if (version.kind === "file") return `${count(version.size, "byte")}, ${version.hash.slice(0, 8)}`;
  if (version.kind === "link") return `a link to ${version.to}`;
  return version.kind === "other" ? version.why : version.kind === "folder" ? "a folder" : "nothing";
}

/** Where it is, for people. */
export function shownIn({ project, root: home }: LegionPaths, root: string, path: string): string {
  return relative(project, resolve(home, root, path));
}

export function doneOf(step: UndoStep, paths: LegionPaths): UndoReport["done"][number] {
  const { root, path, from, to } = step;
  return { path: shownIn(paths, root, path), from: wordsFor(from), to: wordsFor(to) };
}

export function leftOf({ made, why, now }: LeftEdit, paths: LegionPaths): UndoReport["left"][number] {
  const { agent, seq, root, edit } = made;
  const { before, after, path, unkept } = edit;
  const kept =
    before.kind === "file" && unkept === undefined
      ? `; ${relative(paths.project, keptPath(paths.agent(agent), before))}`
      : "";
  return {
    event: seq === 0 ? null : `${agent}.${seq}`,
    path: shownIn(paths, root, path),
    why,
    before: wordsFor(before) + kept,
    after: wordsFor(after),
    now: wordsFor(now),
  };
}

export function sharedOf({ agent, seq, action, path }: Act): UndoReport["shared"][number] {
  return { event: `${agent}.${seq}`, action, ...(path !== undefined && { path }) };
}

/** A change of a command beside which others ran. */
export function overlappedOf(
  { agent, seq, action }: Act,
  { root, edit }: MadeEdit,
  paths: LegionPaths,
): UndoReport["shared"][number] {
  return { event: `${agent}.${seq}`, action, path: shownIn(paths, root, edit.path) };
}

/** Actions that leave nothing behind but mail and state, which their results tell of. */
const TRACELESS: ReadonlySet<string> = new Set(
  (
    "noop help currentObjective recall viewNote queryAgentRegistry readFile readCommand listDirectory outline findFiles searchText " +
    "recallNotes getSkill searchMemory readContext listEntries sendMessage answer addGoal completeGoal writeNote deleteNote remember"
  ).split(" "),
);
const COMMANDS = "commands";
/** Nobody looked what stood there when it ended. */
const CUT_OFF = "their process ended before they did";
const KINDS: Readonly<Record<string, string>> = {
  executeCommand: COMMANDS,
  startCommand: COMMANDS,
  stopCommand: COMMANDS,
  bash: COMMANDS,
  readPage: "requests",
  searchWeb: "requests",
};

const ALL_KNOWN: ReadonlyMap<Act, string> = new Map();

/** What of `acts` cannot be taken back; of those in `kept` the files can, but for what is not known of those in `unknown`. */
export function beyondOf(
  acts: readonly Act[],
  kept: ReadonlySet<Act>,
  unknown = ALL_KNOWN,
): UndoReport["beyond"] {
  const found = new Map<string, Set<string>>();
  const add = (what: string, { agent, seq }: Act): void => {
    const events = found.get(what) ?? new Set<string>();
    found.set(what, events.add(`${agent}.${seq}`));
  };
  for (const act of acts) {
    const to = act.sends.flatMap(({ targetAgentIds }) => targetAgentIds);
    if (to.some((id) => !isMemoryId(id))) add("mail", act);
    if (to.some(isMemoryId)) add("memory", act);
    for (const module of act.changed) add(module, act);
    const { action } = act;
    // A command that failed has changed what it changed.
    const isIdle = act.outcome === "idle" || (act.outcome === "error" && KINDS[action] === undefined);
    const isCutOff = act.outcome === "interrupted" && KINDS[action] === COMMANDS && !kept.has(act);
    const why = unknown.get(act) ?? (isCutOff ? CUT_OFF : undefined);
    if (why !== undefined) add(`${KINDS[action] ?? action} (${why})`, act);
    if (why !== undefined || kept.has(act) || TRACELESS.has(action) || isIdle) continue;
    add(FILE_ACTIONS.has(action) ? "files of which nothing is kept" : (KINDS[action] ?? action), act);
  }
  return [...found].map(([what, events]) => ({ what, events: [...events] }));
}

const FILE_ACTIONS: ReadonlySet<string> = new Set(
  "writeFile editFile moveFile deleteFile createDirectory".split(" "),
);
