// A plan in the log of Control, carried out: by whoever wrote it, or by the next one that has the home alone. It can be done again from any
// point: what is back already stays.

import { resolve } from "node:path";
import { z } from "zod";
import { messageOf } from "../../base/errors.ts";
import { count, enumerate } from "../../base/text/wording.ts";
import type { Contents } from "../../domain/authoring/workspace.ts";
import type { Event } from "../../domain/event/event.ts";
import type { NoticeEvent } from "../../domain/event/notice.ts";
import { CONTROL, isAgentId } from "../../domain/message/message.ts";
import { compose, type Letter } from "../../mail/compose.ts";
import { sendNotice } from "../../mail/log-access.ts";
import { fewOf, openWrites } from "../../past/receipts/writes.ts";
import type { UndoWrites } from "../../past/receipts/written.ts";
import { versionOf, type KeptFiles } from "../../past/undo/kept.ts";
import { CHANGED, type LeftEdit, type UndoStep } from "../../past/undo/plan.ts";
import { isSame, versionSchema, type PathVersion } from "../../past/undo/version.ts";
import { filesIn, keptIn, OFF_LIMITS, spotOf, standingAt, type UndoPlace, type UndoSite } from "./place.ts";

const step = z.object({
  root: z.string(),
  path: z.string(),
  from: versionSchema,
  to: versionSchema,
  keeper: z.string().refine((id) => id === CONTROL || isAgentId(id)),
  agents: z.array(z.string()).readonly(),
  /** Plans of earlier versions have none. */
  events: z.array(z.string()).readonly().default([]),
});
const details = z.object({
  undo: z.uuid(),
  what: z.string(),
  busy: z.array(z.string()).readonly(),
  steps: z.array(step).readonly(),
  /** For people: what it will come to, and what stays. */
  report: z
    .looseObject({ left: z.array(z.unknown()).readonly() })
    .optional()
    .catch(undefined),
});
const done = z.object({ undo: z.string() });

/** The details of an `undo` notice: the plan, with what stands at each path before and after. */
export type PlannedUndo = z.output<typeof details>;

/** Puts a plan down, then carries it out. Resolves with the notice's number, and what could not be put back after all. */
export async function begin(
  planned: PlannedUndo,
  place: UndoPlace,
): Promise<{ readonly event: number; readonly left: ReadonlyMap<UndoStep, LeftEdit> }> {
  await place.disk.replace(place.paths.unfinishedUndo, planned.undo);
  const content = `Takes back ${count(planned.steps.length, "change")} for ${planned.what}${stays(planned.report)}.`;
  const notice: NoticeEvent = { kind: "notice", reason: "undo", content, details: planned };
  const event = await place.control.alone(async ({ memory }) => (await memory.commit(notice))[0]!.seq);
  return { event, left: await carryOut(planned, place) };
}

function stays(report: PlannedUndo["report"]): string {
  const left = report?.left.length ?? 0;
  return left === 0 ? "" : `; ${left} ${left === 1 ? "stays" : "stay"}`;
}

/** Goes on with an undo that was not finished, if there is one. */
export async function finishUndo(place: UndoPlace): Promise<void> {
  const id = (await place.disk.read(place.paths.unfinishedUndo))?.toString("utf8");
  if (id === undefined) return;
  const { planned, isDone } = await readUndo(place, (_, undo) => undo === id);
  if (planned && !isDone) await carryOut(planned, place);
  else await place.disk.remove(place.paths.unfinishedUndo);
}

/** The undo in the log of Control that is meant, and whether it is done. */
export async function readUndo(
  { reader }: Pick<UndoSite, "reader">,
  isMeant: (event: Event, undo: string) => boolean,
): Promise<{ readonly planned?: PlannedUndo; readonly at: string; readonly isDone: boolean }> {
  let found: { planned: PlannedUndo; at: string; isDone: boolean } | undefined;
  for await (const event of reader.events(CONTROL)) {
    if (event.kind !== "notice") continue;
    const { data: planned } = details.safeParse(event.reason === "undo" ? event.details : undefined);
    if (planned && isMeant(event, planned.undo)) found = { planned, at: event.at, isDone: false };
    const { data: ended } = done.safeParse(event.reason === "undone" ? event.details : undefined);
    if (found && ended?.undo === found.planned.undo) found.isDone = true;
  }
  return found ?? { at: "", isDone: false };
}

async function carryOut(planned: PlannedUndo, place: UndoPlace): Promise<ReadonlyMap<UndoStep, LeftEdit>> {
  const left = new Map<UndoStep, LeftEdit>();
  for (const [index, one] of planned.steps.entries()) {
    const stays = await putBack(one, `.legion-${planned.undo}-${index}.tmp`, place);
    if (stays) left.set(one, leftAt(one, stays));
  }
  const back = planned.steps.filter((one) => !left.has(one));
  const wrote = writtenBy(back, place);
  const known = new Set(await place.reader.known());
  const told = [...new Set(back.flatMap(({ agents }) => agents))].filter((agent) => known.has(agent));
  const content = aboutUndo(planned, back);
  await sendNotice(place.control, async (memory) => {
    const letter: Letter = { from: CONTROL, to: told, content, spontaneous: true };
    const [busy, others] = [true, false].map((isBusy) =>
      told.filter((agent) => planned.busy.includes(agent) === isBusy),
    );
    // Whoever was cut off in a call does not make that one again.
    const urgent = compose(memory, { ...letter, to: busy!, delivery: "steer" }, [], place.clock.now());
    const sends = [...urgent, ...compose(memory, { ...letter, to: others! }, urgent, place.clock.now())];
    const paths = [...left.values()].map(({ made, now }) => ({ path: made.edit.path, now }));
    return {
      kind: "notice",
      reason: "undone",
      content,
      sends,
      details: { undo: planned.undo, left: paths, wrote },
    };
  });
  await place.disk.remove(place.paths.unfinishedUndo);
  return left;
}

/** For receipts: a result that is about one of those paths is older now. */
function writtenBy(back: readonly UndoStep[], place: UndoPlace): UndoWrites {
  const { paths, clock, writesTo = openWrites(clock.now) } = place;
  const roots = [...new Set(back.map(({ root }) => root))];
  return roots.map((root) => {
    const wrote = fewOf(back.flatMap((one) => (one.root === root ? [one.path] : [])));
    const writes = writesTo(resolve(paths.root, root));
    return { count: writes.count, root: writes.root, n: writes.add({ agent: CONTROL, wrote }), wrote };
  });
}

function aboutUndo({ what }: PlannedUndo, back: readonly UndoStep[]): string {
  if (back.length === 0) return `Nothing was taken back of what was done for ${what}.`;
  return (
    `The person had ${count(back.length, "change")} taken back that ${back.length === 1 ? "was" : "were"} made for ${what}: ` +
    `${enumerate(back.map(({ path }) => path))}. Look at them again before you go on.`
  );
}

/** Resolves with what stands there if it could not be put back. */
async function putBack(step: UndoStep, draft: string, place: UndoPlace): Promise<PathVersion | undefined> {
  const { from, to, keeper } = step;
  const wanted = await contentsOf(to, keptIn(place)(keeper));
  // A file and a folder cannot be exchanged at once: whoever was killed in between left nothing.
  const isBetween = (found: Contents): boolean =>
    found.kind === "nothing" && (from.kind === "folder") !== (to.kind === "folder") && to.kind !== "nothing";
  const isExpected = (found: Contents): boolean => isSame(versionOf(found), from) || isBetween(found);
  try {
    const spot = await spotOf(step, place);
    if (!spot) return OFF_LIMITS;
    if (wanted && (await filesIn(place).put({ ...spot, draft }, wanted, isExpected))) return undefined;
    const stands = versionOf(await standingAt(step, place));
    return isSame(stands, to) ? undefined : stands;
  } catch (error) {
    return { kind: "other", why: messageOf(error) };
  }
}

/** `undefined` where the bytes are gone. */
async function contentsOf(version: PathVersion, kept: KeptFiles): Promise<Contents | undefined> {
  if (version.kind !== "file") return version;
  const content = await kept.bytes(version);
  return content && { kind: "file", content, mode: version.mode };
}

/** Keeps what the steps replace; a step whose file cannot be kept, or is another by now, is left. */
export async function keepReplaced(
  undo: string,
  steps: readonly UndoStep[],
  site: UndoSite,
): Promise<{ readonly kept: readonly UndoStep[]; readonly left: readonly LeftEdit[] }> {
  const own = keptIn(site)(CONTROL);
  const kept: UndoStep[] = [];
  const left: LeftEdit[] = [];
  for (const [index, one] of steps.entries()) {
    const { root, path, from } = one;
    const before = await standingAt(one, site);
    const stands = versionOf(before);
    const replaced = [{ path, before, after: { kind: "nothing" } as const }];
    const [unkept] = isSame(stands, from) ? await own.keep(`${undo} ${index}`, root, replaced) : [];
    if (isSame(stands, from) && !unkept) kept.push(one);
    else left.push({ ...leftAt(one, stands), ...(unkept && { why: `it cannot be kept: ${unkept.why}` }) });
  }
  return { kept, left };
}

function leftAt({ root, path, from, to, keeper }: UndoStep, now: PathVersion): LeftEdit {
  const made = { agent: keeper, seq: 0, at: "", root, edit: { path, before: to, after: from } };
  const isFull = now.kind === "folder" && from.kind === "folder";
  return { made, why: isFull ? "the folder is not empty" : CHANGED, now };
}
