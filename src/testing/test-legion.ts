// A legion for one test: real but for its model, and nothing of the machine that it runs on counts but the program search path.

import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { openLegionIn, type OpenLegion } from "../library/open.ts";
import type { OpenOptions } from "../library/options.ts";
import { createScriptedModel, type Script, type ScriptedModel } from "../model/scripted/scripted.ts";
import { createTempProject } from "./temp-project.ts";

export interface TestLegionOptions extends Omit<OpenOptions, "project" | "store" | "session" | "model"> {
  /** What its project holds: contents, by relative path. Default: nothing. */
  readonly files?: Readonly<Record<string, string>>;
  /** Default: the real one. */
  readonly clock?: Clock;
}

export interface TestLegion extends OpenLegion {
  /** What its agents run on; it knows what it was asked. */
  readonly model: ScriptedModel;
}

/**
 * Opens a legion in memory, with a project of its own, whose agents' models answer by `script`: in order, whichever agent asks, or
 * what a function makes of each request. No key, setting or model of the machine counts. `stop` deletes the project.
 *
 * @example
 * const legion = await openTestLegion([{ calls: [{ action: "tellWeather", parameters: { city: "Oslo" } }] }, "It rains."]);
 * const agent = await legion.spawn({ modules: ["core", weather] });
 * assert.equal((await agent.prompt("Shall I go out?")).text, "It rains.");
 * await legion.stop();
 */
export async function openTestLegion(script: Script, options: TestLegionOptions = {}): Promise<TestLegion> {
  const { files, clock, ...rest } = options;
  const [project, own] = [await createTempProject(files), await createTempProject()];
  const model = createScriptedModel(script);
  const env = { PATH: process.env["PATH"], HOME: own.path, XDG_CONFIG_HOME: join(own.path, "config") };
  const leave = async (): Promise<void> => {
    await project.remove();
    await own.remove();
  };
  try {
    const wish: OpenOptions = { ...rest, project: project.path, store: "memory", model };
    const legion = await openLegionIn({ env, clock }, wish);
    let stopping: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      try {
        await legion.stop();
      } finally {
        await leave();
      }
    };
    const stop = (): Promise<void> => (stopping ??= end());
    return { ...legion, model, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await leave();
    throw error;
  }
}
