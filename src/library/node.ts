// The node of a program: what runs its agents, what reaches it from outside, and how it ends.

import type { Clock } from "../base/clock.ts";
import type { Variables } from "../base/process/variables.ts";
import type { Config } from "../config/config.ts";
import type { ControlServer } from "../control/api/serve.ts";
import { openNode, type OpenedLegion, type OpeningOrder } from "../legion/opening/open-node.ts";
import { DEFAULT_QUESTIONS } from "../legion/rulebook.ts";
import type { ProgramHome } from "./place.ts";

/** What a program is in. */
export interface ProgramSetting {
  readonly env: Variables;
  /** The real one if absent. */
  readonly clock?: Clock;
}

export interface ProgramOpening extends Pick<ProgramHome, "home">, ProgramSetting {
  /** Real path of its folder. */
  readonly project: string;
  /** Nothing is kept; absent: in the files of its project, or where that says. */
  readonly keep?: "process" | undefined;
  /** Told what a person should know; one line. */
  readonly warn: (text: string) => void;
  readonly config: Config;
}

type ProgramNode = Pick<OpeningOrder, "plans" | "limits" | "protectedPaths" | "started"> &
  Pick<NonNullable<OpeningOrder["questions"]>, "inSandbox">;

/** Rejects as `openNode`. Nobody is asked, unless the program or its project says that questions wait. */
export function openProgramNode(
  { project, home, env, clock, keep, warn, config }: ProgramOpening,
  { inSandbox, ...order }: ProgramNode,
): Promise<OpenedLegion> {
  return openNode({
    ...{ ...order, project, home, env, clock, config, heartbeatMs: config.heartbeatMs },
    keep,
    voices: { onRetry: warn, onWarning: warn, onTrouble: warn },
    questions: {
      mode: config.approvals.mode ?? "deny",
      expireMs: config.approvals.expireMs ?? DEFAULT_QUESTIONS.expireMs,
      inSandbox,
    },
  });
}

/** Tells each line once, as a `LegionWarning` on `process`. */
export function createWarner(): (text: string) => void {
  const warned = new Set<string>();
  return (text) => {
    if (!warned.has(text)) process.emitWarning(text, "LegionWarning");
    warned.add(text);
  };
}

/** Ends everything once, however often it is asked for. */
export function createStop(
  opened: OpenedLegion,
  { settled, leave }: Pick<ProgramHome, "leave"> & { readonly settled: () => Promise<void> },
) {
  const { legion, backend } = opened;
  let server: ControlServer | undefined;
  let stopping: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    try {
      await settled();
      await legion.stop();
    } finally {
      // Until the last step is finished, other terminals are told what is going on here.
      await server?.close();
      await backend.close();
      await leave();
    }
  };
  return {
    stop: (): Promise<void> => (stopping ??= end()),
    async serve(socket: string, onStop: () => void): Promise<void> {
      const { serveLegion } = await import("../control/serve-legion.ts");
      server = await serveLegion(opened, socket, { onStop });
    },
  };
}
