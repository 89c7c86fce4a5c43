// A repository whose changes by commands are recorded, with real git in a real sandbox.

import { randomUUID } from "node:crypto";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Environment, WorktreeRepository } from "../../../src/environment/environment.ts";
import type { CommandChanges } from "../../../src/environment/snapshots/changes.ts";
import { openSnapshots, type SnapshotLimits } from "../../../src/environment/snapshots/snapshots.ts";
import type { Contents } from "../../../src/domain/authoring/workspace.ts";
import { createClosing } from "../../../src/base/process/closing.ts";
import { openChosen, placeIn } from "../opened.ts";
import { repository } from "../workspace/trees.ts";

export const IGNORE = "/.ai-legion\n/ignored\n";
/** A machine that is busy is no reason to know less in a test. */
const PATIENT: SnapshotLimits = { files: 100_000, ms: 60_000 };

export interface SnapshotYard {
  readonly project: string;
  /** Of an agent. */
  readonly environment: Environment;
  /** What a command is found to have changed; `undefined`: nobody looked. */
  recorded(command: string): Promise<CommandChanges | undefined>;
  /** The same, side by side. */
  begin: ReturnType<ReturnType<typeof openSnapshots>["of"]>["begin"];
  run(command: string): Promise<void>;
}

/** @param files of the first commit */
export async function createSnapshotYard(
  files: Readonly<Record<string, string>>,
  given: {
    readonly limits?: SnapshotLimits;
    readonly project?: string;
    /** Absent: the project. */
    readonly workspace?: string;
    readonly repository?: WorktreeRepository;
    readonly kind?: "local";
  } = {},
): Promise<SnapshotYard> {
  const folder = await realpath(await mkdtemp("/var/tmp/legion-snapshots-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const project = given.project ?? repository(join(folder, "project"), { ".gitignore": IGNORE, ...files });
  const workspace = given.workspace ?? project;
  const place = { ...placeIn(project), workspace, repository: given.repository };
  const environment = await openChosen({ kind: given.kind ?? "bubblewrap" }, place);
  const closing = createClosing();
  onTestFinished(async () => void (await closing.run()));
  const snapshots = openSnapshots(join(folder, "snapshots"), closing, given.limits ?? PATIENT);
  closing.add(environment.close);
  closing.add(() => looks.close());
  const looks = snapshots.of({
    ...{ environment, workspace, repository: given.repository, mark: randomUUID() },
  });
  const run = async (command: string): Promise<void> => {
    const { signal } = new AbortController();
    await environment.execute(command, { cwd: workspace, timeoutMs: 60_000, signal });
  };
  return {
    ...{ project, environment, begin: looks.begin, run },
    async recorded(command) {
      const begun = await looks.begin();
      await run(command);
      const changes = await begun?.end();
      await begun?.close();
      return changes;
    },
  };
}

/** Each path with what stood there and what stands there. */
export function sidesOf(changes: CommandChanges | undefined): Readonly<Record<string, string>> | string {
  if (changes === undefined) return "nobody looked";
  if (changes.kind === "unknown") return changes.why;
  return Object.fromEntries(
    changes.files.map(({ path, before, after }) => [path, `${shown(before)} -> ${shown(after)}`]),
  );
}

function shown(contents: Contents): string {
  if (contents.kind === "file") return Buffer.from(contents.content).toString("latin1").trim();
  if (contents.kind === "link") return `@${contents.to}`;
  return contents.kind === "other" ? `(${contents.why})` : contents.kind === "nothing" ? "-" : "/";
}
