// A legion in a program, in one line: everything has a default, it is protected as under `legion start`, and every command
// reaches it while it runs.

import type { Variables } from "../base/process/variables.ts";
import { hideInErrors } from "../config/hide-in-errors.ts";
import { DEFAULT_LEGION_COST, resolveLimits } from "../domain/limits.ts";
import type { AgentId } from "../domain/message/message.ts";
import type { ForkOrder } from "../legion/fork.ts";
import type { Legion } from "../legion/legion.ts";
import type { Answers } from "../legion/questions.ts";
import { legionPaths } from "../storage/folder/paths.ts";
import type { LegionAgent } from "./agent.ts";
import { openCasting, type Casting } from "./casting.ts";
import { createEntrance } from "./entrance.ts";
import {
  createStop,
  createWarner,
  openProgramNode,
  type ProgramOpening,
  type ProgramSetting,
} from "./node.ts";
import {
  readOpenOptions,
  readSpawnOptions,
  type LegionWish,
  type OpenOptions,
  type SpawnOptions,
} from "./options.ts";
import { createLegionMemory, type LegionMemory } from "./memory/legion-memory.ts";
import { findHome, findProject, type ProgramHome } from "./place.ts";
import { programPaths } from "./program-paths.ts";

/**
 * A legion that runs in this program, and is kept in its project: `legion ps`, `send`, `inbox` and every other command reach
 * it meanwhile. Its agents may change neither definitions and modules nor the code of this program.
 *
 * @example
 * const legion = await Legion.open();
 * try {
 *   const agent = await legion.spawn("assistant");
 *   console.log((await agent.prompt("What is in this folder?")).text);
 * } finally {
 *   await legion.stop();
 * }
 */
export interface OpenLegion extends Answers {
  /** Real path of the folder that its agents work in. */
  readonly project: string;
  /** The name of its session; absent: it is the project's own legion, or in memory. */
  readonly session?: string;
  /** What was spawned here, by id. Others may be kept in the project and rest. */
  readonly agents: ReadonlyMap<AgentId, LegionAgent>;
  /** What `startLegion` returns: everything underneath, for whoever needs more. */
  readonly runtime: Legion;
  /**
   * Runs one more agent: by the name of its definition, or as described. One of an id that the project knows goes on where it
   * was. Rejects with USAGE or CONFIG if something is wrong with what was said, with FOREIGN, STORAGE or DAMAGED if what is kept of it
   * cannot be used, with LOCKED if another node runs it, with REFUSED after `stop`.
   *
   * @example
   * const poet = await legion.spawn({ agent: "assistant", id: "poet", brief: "You write haiku." });
   */
  spawn(agent?: string | SpawnOptions): Promise<LegionAgent>;
  /**
   * Has an agent go on from event `at` of its past: itself, or, with `as`, a new one of that id that runs beside it. Rejects
   * with USAGE or REFUSED if that cannot be.
   *
   * @example
   * const other = await legion.fork({ agent: "1", at: 12, as: "1b" });
   */
  fork(order: ForkOrder): Promise<LegionAgent>;
  /**
   * A long-term memory of the project, by its name, `<vault>/<memory>`. It need not be there yet. Throws USAGE for what is no such name.
   *
   * @example
   * const context = await legion.memory("main/legion").context();
   */
  memory(id: string): LegionMemory;
  /**
   * Finishes what runs and closes everything; asked again, it waits for the same. What the agents have left to do waits for the next
   * opening. `runtime.interrupt()` before it ends what runs at once.
   */
  stop(): Promise<void>;
  /** As `stop`: `await using legion = await Legion.open()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export const OpenLegion = {
  /**
   * Opens the legion of a project, or one in memory. It keeps this process alive until `stop`.
   *
   * Rejects with USAGE or CONFIG, with one line that says what is wrong and what would be right; with LOCKED if another process
   * runs the project, naming it; with FOREIGN if somebody else wrote what is kept there, with STORAGE if it cannot be reached.
   *
   * @example
   * await using legion = await Legion.open({ model: "anthropic/claude-sonnet-5-5" });
   */
  open: (options: OpenOptions = {}): Promise<OpenLegion> => openLegionIn({ env: process.env }, options),
};

/** As `Legion.open`. */
export async function openLegionIn(
  { env: variables, clock }: ProgramSetting,
  options: OpenOptions,
): Promise<OpenLegion> {
  const wish = readOpenOptions(options);
  const env: Variables = Object.freeze({ ...variables });
  const project = await findProject(wish, env);
  const warn = createWarner();
  const home = await findHome(project, wish, env);
  try {
    const casting = await openCasting({ project, env, wish, warn });
    return await hideInErrors(casting.config, () =>
      openCast({ ...home, project, env, clock, wish, warn, casting }),
    );
  } catch (error) {
    await home.leave();
    throw error;
  }
}

interface LegionOpening extends Omit<ProgramOpening, "config" | "keep">, ProgramHome {
  readonly wish: LegionWish;
  readonly casting: Casting;
}

async function openCast(opening: LegionOpening): Promise<OpenLegion> {
  const { project, home, session, wish, casting } = opening;
  const { config } = casting;
  const untouchable = new Set(await programPaths(project));
  const opened = await openProgramNode(
    { ...opening, config, keep: wish.store && "process" },
    {
      plans: [],
      limits: resolveLimits({ cost: DEFAULT_LEGION_COST }, config.limits.legion),
      protectedPaths: () => [...untouchable],
    },
  );
  const { legion } = opened;
  const { agents, enter, fork, settled } = createEntrance({ legion, reader: opened.backend.reader });
  const { stop, serve } = createStop(opened, { settled, leave: opening.leave });
  const spawn: OpenLegion["spawn"] = (options = {}) =>
    hideInErrors(config, async () => {
      const described = readSpawnOptions(options);
      return enter(described.id, async (id) => {
        const { role, protectedPaths } = await casting.cast(described, id);
        for (const path of protectedPaths) untouchable.add(path);
        return role.plan;
      });
    });
  try {
    // Whoever stops it from outside does not wait for how it ends; the program that calls `stop` is told.
    const onStop = (): void => void stop().catch(() => undefined);
    if (!wish.store) await serve(legionPaths(project, home).socket, onStop);
    for (const agent of wish.agents ?? []) await spawn(agent);
  } catch (error) {
    await stop();
    throw error;
  }
  const { questions, approve, deny } = legion;
  const runtime = legion;
  return {
    ...{ project, session, agents, runtime, spawn, fork, stop, questions, approve, deny },
    memory: (id) => createLegionMemory(id, legion, opened.backend.memories),
    [Symbol.asyncDispose]: stop,
  };
}
