// The legion of a start: as every node opens it, with what a person at a terminal is told and asked.

import type { QuestionSettings } from "../../../agent/parts/rulebook.ts";
import type { Config } from "../../../config/config.ts";
import { openNode, type OpenedLegion } from "../../../legion/opening/open-node.ts";
import { count } from "../../../base/text/wording.ts";
import { DEFAULT_QUESTIONS } from "../../../legion/rulebook.ts";
import type { Voices } from "../../../storage/open.ts";
import { readAdoption } from "../../consent/adoption.ts";
import type { Io, Typed } from "../../kit/command.ts";
import { createProgress } from "../../kit/progress.ts";
import { paintFor } from "../../kit/terminal.ts";
import type { Watcher } from "./view.ts";
import type { Workload, WorkloadOrder } from "./workload.ts";

interface OpenLegionOrder {
  readonly config: Config;
  readonly workload: Workload;
  readonly project: string;
  readonly home?: string;
  readonly typed: Pick<Typed, "options">;
  readonly watcher: Watcher;
  readonly until: WorkloadOrder["until"];
}

/** Rejects as `openNode`. */
export function openLegion(order: OpenLegionOrder, io: Io): Promise<OpenedLegion> {
  const { config, workload, project, home, typed, watcher } = order;
  const { roster, heartbeatMs, started, isReplay } = workload;
  const { roles, limits, protectedPaths } = roster;
  const progress = createProgress(io);
  return openNode({
    ...{ config, project, home, env: io.env, limits, heartbeatMs, started },
    plans: roles.map(({ plan }) => plan),
    closesIdle: true,
    writes: isReplay ? "verbatim" : undefined,
    protectedPaths: () => protectedPaths,
    voices: voicesOf(order, io),
    adoption: (reader) => readAdoption(reader, typed, io),
    watch: watcher.see,
    onReady: (agents, of) => progress.show(`${agents} of ${count(of, "agent")} are ready`),
    onLimits: async (value) => (await import("./last-limits.ts")).keepLimits(project, value, io),
    questions: questionsOf(order, io),
  }).finally(progress.clear);
}

/** Where nobody is there to answer, what has to be asked may not be done. */
function questionsOf(
  { config: { approvals }, until, workload: { inSandbox } }: OpenLegionOrder,
  { stdin }: Io,
): QuestionSettings {
  const isAlone = until !== "told" && stdin.isTTY !== true;
  return {
    mode: approvals.mode ?? (isAlone ? "deny" : "wait"),
    expireMs: approvals.expireMs ?? DEFAULT_QUESTIONS.expireMs,
    inSandbox,
  };
}

/** It is tried for half a minute, and said. */
function voicesOf({ watcher }: OpenLegionOrder, { stderr, env }: Io): Voices {
  const say = (text: string): void => void stderr.write(`${text}\n`);
  let told = "";
  return {
    onRetry(reason) {
      if (reason !== told) say(`${reason.replace(/\.?$/, ".")} Trying again for half a minute...`);
      told = reason;
    },
    onWarning: (text) => say(`${paintFor(stderr, env)("red", "WARNING")} ${text}`),
    onTrouble: (text) => watcher.tell(text, "redis"),
  };
}
