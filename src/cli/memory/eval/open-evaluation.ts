// Where a data set becomes memories: a legion of its own in the project's cache, whose only agents are scribes.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { packageDir } from "../../../base/package.ts";
import type { Config } from "../../../config/config.ts";
import type { Member } from "../../../config/definition.ts";
import { settleTrusted } from "../../../config/grants/settle-trusted.ts";
import { loadConfig } from "../../../config/load-config.ts";
import type { Limits } from "../../../domain/limits.ts";
import type { Model } from "../../../domain/model.ts";
import { findEnvironment } from "../../../environment/open.ts";
import { openNode } from "../../../legion/opening/open-node.ts";
import { broughtBy, createCasting, planRoster } from "../../../legion/roster.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";
import { createAdmission } from "../../consent/ask-trust.ts";
import type { Io, Typed } from "../../kit/command.ts";
import type { Evaluation } from "./evaluate.ts";

export interface PlannedEvaluation {
  /** Of the scribes. */
  readonly model: Model;
  /** Of all of them together. */
  readonly limits: Limits;
  /** What a person should know; one line each. */
  readonly remarks: readonly string[];
  /** Absolute; deleted, it begins anew. */
  readonly folder: string;
  /** Rejects as `openNode`. */
  open(): Promise<OpenedEvaluation>;
}

export interface OpenedEvaluation extends Pick<Evaluation, "legion" | "memories" | "scribe"> {
  close(): Promise<void>;
}

export interface EvaluationOrder {
  /** Real path of its folder. */
  readonly project: string;
  /** What the data set is told from others by. */
  readonly digest: string;
  readonly typed: Typed;
  readonly io: Io;
}

const FIRST = "s1";

/** Writes nothing. Throws USAGE and CONFIG as a start does. */
export async function planEvaluation(order: EvaluationOrder): Promise<PlannedEvaluation> {
  const { project, digest, typed, io } = order;
  const { model: wanted, limits } = typed.options;
  const flags = { model: wanted, limits, bus: "memory", tick: "0" };
  const places = { projectDir: project, packageDir };
  const admit = createAdmission(project, typed, io);
  const who = { kind: "given", members: [memberOf(FIRST, "recall/s1")] } as const;
  const load = () => loadConfig({ projectDir: project, env: io.env, flags });
  const config = await settleTrusted({
    load,
    broughtBy: (one) => broughtBy(who, { config: one, places }),
    admit,
  });
  const machine = { finding: await findEnvironment(io.env), variables: io.env };
  const deps = { config, places, admit, machine };
  const roster = await planRoster(who, deps);
  const { model } = roster.roles[0]!.plan;
  const cast = createCasting(deps);
  const name = `${digest.slice(0, 12)}-${createHash("sha256").update(model.name).digest("hex").slice(0, 8)}`;
  const folder = join(legionPaths(project).root, "cache", "recall", name);
  return {
    ...{ model, folder, limits: roster.limits, remarks: roster.remarks },
    async open() {
      const { legion, backend } = await openNode({
        ...{ project: folder, env: io.env, plans: [], limits: roster.limits, heartbeatMs: "off" },
        config: inItsOwnFolder(config),
        protectedPaths: () => [],
      });
      return {
        legion,
        memories: backend.memories,
        scribe: async (id, memory) => (await cast(memberOf(id, memory))).plan,
        async close() {
          await legion.stop();
          await backend.close();
        },
      };
    },
  };
}

/** What is kept there can be made again: no message waits for the disk. */
function inItsOwnFolder(config: Config): Config {
  return { ...config, bus: { kind: "memory" }, durability: "process" };
}

function memberOf(id: string, memory: string): Member {
  return { id, agent: "scribe", memories: [memory], limits: { steps: "none" } };
}
