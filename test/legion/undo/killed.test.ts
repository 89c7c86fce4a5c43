// Random teams, and a person between them, on real files; then the process is killed at each single commit and each single change of a file
// while an undo is under way. `LEGION_FAULTS=long` tries many more teams.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { system } from "../../../modules/system/index.ts";
import { createClock } from "../../../src/base/clock.ts";
import { codeOf } from "../../../src/base/errors.ts";
import { defineAction, defineModule } from "../../../src/domain/authoring/module.ts";
import { undoHere } from "../../../src/control/api/undo-here.ts";
import { workspaceFiles } from "../../../src/legion/undo/workspace-files.ts";
import { finishUndo } from "../../../src/legion/undo/carry-out.ts";
import type { UndoPlace } from "../../../src/legion/undo/place.ts";
import type { UndoReport } from "../../../src/domain/undo/report.ts";
import { undo } from "../../../src/legion/undo/undo.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { createRandom, type Random } from "../../faults/files.ts";
import { openWorld, readEvents, temporaryFolder } from "../../world.ts";
import { createYard, edit, move, put, remove, REST, siteOf, treeOf, write } from "./yard.ts";

const SEEDS = process.env["LEGION_FAULTS"] === "long" ? 40 : 2;
const LIMIT_MS = Math.max(180_000, SEEDS * 30_000);
const NAMES = ["a", "b", "d/c", "d/e/f"];

const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)]!;

/** What one agent does for one message. Some of it fails, as with real ones. */
function someCalls(random: Random, mark: string) {
  return Array.from({ length: 2 + Math.floor(random() * 4) }, (_, n) => {
    const name = pick(random, NAMES);
    const act = [
      () => write(name, `${mark}${n}`),
      () => write(`new-${mark}/${n}`, `${mark}${n}`),
      () => edit(name, "a", "b"),
      () => remove(name),
      () => remove(dirname(name)),
      () => move(name, `${pick(random, NAMES)}-${mark}`),
    ];
    return pick(random, act)();
  });
}

interface Night {
  readonly project: string;
  /** The message that is to be taken back. */
  readonly cause: string;
  /** Before anybody began. */
  readonly before: Readonly<Record<string, string>>;
  /** What the person, or somebody for another message, touched. */
  readonly others: ReadonlySet<string>;
}

async function someNight(random: Random): Promise<Night> {
  const files = { a: "a", b: "xa", "d/c": "caa", "d/e/f": "f" };
  const scripts = Object.fromEntries(
    ["1", "2"].map((id) => {
      const turns = ["p", "q"].map((round) => [{ calls: someCalls(random, `${round}${id}`) }, REST]);
      return [id, turns.flat()];
    }),
  );
  const world = await createYard(files, scripts);
  const { project } = world;
  const before = treeOf(project);
  const others = new Set<string>();
  const [cause] = await world.say("1", "Go.");
  await world.idle();
  const name = pick(random, NAMES);
  if (random() < 0.7) put(project, name, `a person's ${random()}`);
  others.add(name);
  const seen = treeOf(project);
  await world.say("2", "Go as well.");
  await world.idle();
  const now = treeOf(project);
  for (const path of new Set([...Object.keys(seen), ...Object.keys(now)]))
    if (seen[path] !== now[path]) others.add(path);
  await world.stop();
  return { project, cause: cause!, before, others };
}

/** Counts what is done to files and logs, and stops for good at the `at`th moment, before or behind something. */
function killing(place: UndoPlace, at: number) {
  let moments = 0;
  let stop = (): void => undefined;
  const killed = new Promise<"killed">((resolve) => (stop = () => resolve("killed")));
  const moment = async (): Promise<void> => {
    if (++moments !== at) return;
    stop();
    await new Promise(() => undefined);
  };
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    await moment();
    const made = await work();
    await moment();
    return made;
  };
  const { disk, control } = place;
  const dying: UndoPlace = {
    ...place,
    disk: {
      ...disk,
      replace: (...to) => around(() => disk.replace(...to)),
      remove: (path) => around(() => disk.remove(path)),
    },
    files: {
      read: workspaceFiles.read,
      put: (to, ...rest) => around(() => workspaceFiles.put(to, ...rest)),
    },
    control: {
      alone: (work) =>
        control.alone((log) =>
          work({
            ...log,
            memory: { ...log.memory, commit: (...events) => around(() => log.memory.commit(...events)) },
          }),
        ),
    },
  };
  return { dying, killed, moments: () => moments };
}

async function withPlace<T>(project: string, use: (place: UndoPlace) => Promise<T>): Promise<T> {
  const clock = createClock();
  const store: Store = await createFileBackend(project).openStore({ durability: "process", clock });
  try {
    return await use({ ...siteOf(project), control: store.control, clock });
  } finally {
    await store.close();
  }
}

/** Everything that is kept beside the workspace. */
function keptTexts(project: string): readonly string[] {
  const agents = join(project, ".ai-legion/agents");
  return readdirSync(agents).flatMap((agent) => {
    try {
      return readdirSync(join(agents, agent, "undo")).map((name) =>
        readFileSync(join(agents, agent, "undo", name), "utf8"),
      );
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      return [];
    }
  });
}

/** What is neither as it was before nor listed, though nobody else touched it. */
function unexplained(
  { before, others }: Night,
  project: string,
  { left, shared }: UndoReport,
): readonly string[] {
  const listed = new Set([...left, ...shared].map(({ path = "" }) => path));
  const now = treeOf(project);
  const all = new Set([...Object.keys(before), ...Object.keys(now)]);
  const isAbove = (path: string): boolean =>
    path.endsWith("/") && [...listed, ...others].some((one) => `${one}/`.startsWith(path));
  return [...all].filter(
    (path) => before[path] !== now[path] && !listed.has(path) && !others.has(path) && !isAbove(path),
  );
}

describe("an undo that is killed", () => {
  it(
    "at any commit and any change of a file is finished by the next one: the tree is as before, or what differs is listed; nothing is lost (U0)",
    async () => {
      for (let seed = 0; seed < SEEDS; seed++) {
        const random = createRandom(seed);
        const night = await someNight(random);
        const project = await temporaryFolder();
        for (let at = 1, ended = false; !ended; at++) {
          rmSync(project, { recursive: true });
          cpSync(night.project, project, { recursive: true, verbatimSymlinks: true });
          const full = treeOf(project);
          await withPlace(project, async (place) => {
            const { dying, killed, moments } = killing(place, at);
            await Promise.race([undo(night.cause, dying), killed]);
            ended = moments() < at;
          });
          // What a process leaves that is killed while it writes.
          if (at % 3 === 0) writeFileSync(join(project, ".legion-x.tmp"), "half");
          // A person saves a file before anybody goes on.
          const saved = at % 3 === 1 ? `a person's ${at}` : undefined;
          if (saved !== undefined) put(project, "a", saved);
          await withPlace(project, (place) => finishUndo(place));
          const notices = (await readEvents(project, "0")).filter((event) => event.kind === "notice");
          const ofReason = (reason: string): number => notices.filter((one) => one.reason === reason).length;
          expect([seed, at, ofReason("undone")]).toEqual([seed, at, ofReason("undo")]);
          const report = await withPlace(project, (place) => undo(night.cause, place));
          rmSync(join(project, ".legion-x.tmp"), { force: true });
          const others = new Set([...night.others, ...(saved === undefined ? [] : ["a"])]);
          expect([seed, at, unexplained({ ...night, others }, project, report)]).toEqual([seed, at, []]);
          if (saved !== undefined) expect([seed, at, treeOf(project)["a"]]).toEqual([seed, at, saved]);
          const kept = [...Object.values(treeOf(project)), ...keptTexts(project)];
          const lost = Object.entries(full).filter(
            ([path, content]) => !kept.includes(content) && !(path === "a" && saved !== undefined),
          );
          expect([seed, at, lost]).toEqual([seed, at, []]);
        }
      }
    },
    LIMIT_MS,
  );

  it("takes back what a call did that the process was killed in, and the next start does not make that call again", async () => {
    let began = (): void => undefined;
    const isBegun = new Promise<void>((resolve) => (began = resolve));
    const stuck = defineAction({
      description: "Write, and never end",
      effects: "idempotent",
      touches: [],
      async execute(_, host) {
        await system.actions["writeFile"]!.execute({ path: "x", content: "new" }, host);
        began();
        await new Promise((resolve) => host.signal.addEventListener("abort", resolve));
        throw new Error("cut off");
      },
    });
    const project = await temporaryFolder();
    put(project, "x", "old");
    const modules = [core, system, defineModule({ name: "stuck", actions: { stuck } })];
    const world = await openWorld(project, { 1: { modules, script: [{ calls: [{ action: "stuck" }] }] } });
    const [cause] = await world.say("1", "Go.");
    await isBegun;
    world.legion.interrupt();
    await world.stop();
    expect(treeOf(project)).toEqual({ x: "new" });

    const config = { durability: "process" } as const;
    await undoHere({ project, backend: createFileBackend(project), config }, cause!);
    expect(treeOf(project)).toEqual({ x: "old" });
    const again = await openWorld(project, { 1: { modules, script: [REST] } });
    await again.idle();
    expect(treeOf(project)).toEqual({ x: "old" });
    expect((await again.kinds("1", "result"))[0]).toMatchObject({ outcome: "interrupted" });
  });

  it("is finished by the next start, before any agent runs", async () => {
    const world = await createYard(
      { x: "old", y: "old" },
      { 1: [{ calls: [write("x", "new"), write("y", "new")] }, REST] },
    );
    const [cause] = await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    await withPlace(world.project, async (place) => {
      const { dying, killed } = killing(place, 11);
      await Promise.race([undo(cause!, dying), killed]);
    });
    expect(Object.values(treeOf(world.project))).toContain("new");
    const again = await openWorld(world.project, { 1: { modules: [core, system], script: [REST] } });
    expect(treeOf(world.project)).toEqual({ x: "old", y: "old" });
    await again.idle();
    expect((await again.kinds("1", "message")).at(-1)!.message.content).toContain("taken back");
  });
});
