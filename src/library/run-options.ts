// What a program may say of a run.

import { z } from "zod";
import { LegionError } from "../base/errors.ts";
import { section } from "../config/files/settings.ts";
import type { Mode } from "../domain/supervision.ts";
import { openOptions, read, readSpawnOptions, type AgentWish } from "./options.ts";
import type { LimitsOption, OpenOptions, SpawnOptions } from "./options.ts";

/**
 * What a run is; nothing of it is required.
 *
 * @example
 * run("Make the failing test pass.", { agent: "swe", limits: { cost: 2 }, mode: "yolo" });
 */
export interface RunOptions extends Omit<OpenOptions, "store" | "session" | "agents" | "limits"> {
  /** Who has the task: a name, or as for `spawn`. Default: `assistant`. */
  readonly agent?: string | Omit<SpawnOptions, "id">;
  /** In place of that: configurations of mini-SWE-agent, files and `key.path=value`; later ones win. */
  readonly config?: string | readonly string[];
  /** Of the agent and of all that works for it, whatever its definition says. */
  readonly limits?: LimitsOption;
  /**
   * How you watch over it. `"usual"`: as the policy says; `"confirm"`: each call with effects is asked, which needs `approvals: "wait"`;
   * `"yolo"`: what would be asked is done. Default: as the configuration says, else `"usual"` in a sandbox or with `approvals:
   * "deny"`, and `"confirm"` elsewhere.
   */
  readonly mode?: Exclude<Mode, "human">;
  /** The file of its trajectory. Default: `trajectory.json` in the folder of the run, or where the configuration says. */
  readonly output?: string;
  /** Ends at once what runs; the run is `stopped`, and `legion run --resume` goes on with it. */
  readonly signal?: AbortSignal;
}

const CONFIG =
  "expected the path of a configuration, or a list of paths and values such as agent.step_limit=50";
const AGENT = "expected the name of a definition, or what spawn takes";
const text = z.string(CONFIG).min(1, CONFIG);
const { project, model, providers, limits, policy, approvals, trust } = openOptions.shape;
const agent = z.union([z.string(), z.record(z.string(), z.unknown(), AGENT)], AGENT);

const runOptions = section({
  ...{ project, model, providers, limits, policy, approvals, trust },
  agent: agent.optional(),
  config: z.union([text.transform((one) => [one]), z.array(text).min(1, CONFIG)], CONFIG).optional(),
  mode: z.enum(["usual", "confirm", "yolo"], 'expected "usual", "confirm" or "yolo"').optional(),
  output: z.string("expected the path of a file").min(1, "expected the path of a file").optional(),
  signal: z.instanceof(AbortSignal, { error: "expected an AbortSignal" }).optional(),
});

/** As it was said, and checked. */
export type RunWish = Omit<z.output<typeof runOptions>, "agent"> & { readonly agent: AgentWish };

/** Throws as `readOpenOptions`. */
export function readRunOptions(options: unknown): RunWish {
  const { agent: said, ...wish } = read("run", runOptions, options);
  if (said !== undefined && wish.config !== undefined)
    throw new LegionError("USAGE", "run: config says what the agent is; leave out agent");
  const described = readSpawnOptions(said ?? {}, "run: agent");
  if (described.id !== undefined)
    throw new LegionError("USAGE", "run: agent: in a run it is Agent 1; leave out id");
  return { ...wish, agent: described };
}

/** Limits as `--limits` takes them; `undefined` where nothing was said. */
export function typedLimits({ limits: said = {} }: Pick<RunOptions, "limits">): string | undefined {
  const parts = Object.entries(said).filter(([, amount]) => ["number", "string"].includes(typeof amount));
  const typed = parts.map(([name, amount]) => `${name}=${amount}${isMilliseconds(name, amount) ? "ms" : ""}`);
  return typed.length > 0 ? typed.join(",") : undefined;
}

function isMilliseconds(name: string, amount: unknown): boolean {
  return name === "time" && typeof amount === "number";
}

/** Where a run is, and what its program said of questions. */
interface ProgramPlace {
  readonly isSandboxed: boolean;
  readonly approvals: "wait" | "deny" | undefined;
}

/** The mode that holds from the beginning on. Throws USAGE where somebody would have to be there. */
export function modeOfRun(said: Mode | undefined, { isSandboxed, approvals }: ProgramPlace): Mode {
  const mode = said ?? (isSandboxed || approvals === "deny" ? "usual" : "confirm");
  if (mode === "usual" || mode === "yolo" || (mode === "confirm" && approvals === "wait")) return mode;
  const why = said === undefined ? "there is no sandbox here, so each call with effects is asked" : WHY[mode];
  const way = 'mode: "yolo" asks nothing, approvals: "wait" waits for `legion approve`';
  throw new LegionError("USAGE", `run: ${why}, and nobody is at a terminal: ${way}`);
}

const WHY = {
  confirm: "mode confirm asks for each call",
  human: "in mode human a person says the calls",
  held: "in mode held a person lets go what is said",
};
