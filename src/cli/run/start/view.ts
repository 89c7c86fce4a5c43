// What happens in a legion goes to two places: to the person's display, and into the diagnostics file.

import { messageOf } from "../../../base/errors.ts";
import { packageVersion } from "../../../base/package.ts";
import { createRedactor } from "../../../base/redaction/redactor.ts";
import type { Inspect } from "../../../domain/inspection.ts";
import type { Spent } from "../../../past/limits/spending.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";
import type { Display, DisplayOptions } from "../../console/display.ts";
import { createDiagnostics, type LogLevel } from "./diagnostics.ts";

/** Sees what happens in a legion, and is told what a person should know besides. */
export interface Watcher {
  readonly see: Inspect;
  /** What has a topic is worth to be kept as well. */
  tell(text: string, topic?: "redis" | "model"): void;
}

export interface EarlyWatcher extends Watcher {
  /** Passes on to `watcher` what has happened so far, and everything from now on. */
  release(watcher: Watcher): void;
}

/** Keeps what happens until somebody watches. */
export function createEarlyWatcher(): EarlyWatcher {
  const held: ((watcher: Watcher) => void)[] = [];
  let pass = (show: (watcher: Watcher) => void): void => void held.push(show);
  return {
    see: (inspection) => pass((watcher) => watcher.see(inspection)),
    tell: (text, topic) => pass((watcher) => watcher.tell(text, topic)),
    release(watcher) {
      for (const show of held) show(watcher);
      pass = (show) => show(watcher);
    },
  };
}

export interface NodeView extends Watcher, Pick<Display, "settled"> {
  /** Says `ending`, which tells people of `obstacle`, if there was one. Resolves when everything is written. */
  conclude(ending: string, obstacle: string | undefined, spent: Spent): Promise<void>;
}

export type OpenDisplay = (options: DisplayOptions) => Promise<Display>;

export async function openView(
  openDisplay: OpenDisplay,
  options: Omit<DisplayOptions, "redactor">,
  level: LogLevel,
): Promise<NodeView> {
  const { project, home, config, roster, ready } = options;
  const redactor = createRedactor(config.secrets());
  const display = await openDisplay({ ...options, redactor });
  const diagnostics = createDiagnostics({
    folder: legionPaths(project, home).logs,
    level,
    redactor,
    after: ready,
    onFailure: (error) => display.tell(`There is no diagnostics file: ${messageOf(error)}`),
  });
  const facts = { version: packageVersion(), node: process.version, agents: roster.roles.length };
  diagnostics.note(facts, "start");
  return {
    see(inspection) {
      display.see(inspection);
      diagnostics.see(inspection);
    },
    tell(said, topic) {
      const text = redactor.text(said);
      display.tell(text);
      if (topic) diagnostics.note({ text }, topic);
    },
    settled: display.settled,
    async conclude(ending, obstacle, spent) {
      diagnostics.note({ obstacle }, "end");
      await display.conclude(ending, spent);
      await diagnostics.close();
    },
  };
}
