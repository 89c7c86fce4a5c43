// A log that cannot be read, among those that a scribe listens to.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { legionPaths } from "../../../../src/storage/folder/paths.ts";
import { toLine } from "../../../../src/storage/folder/line.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { openWorld, temporaryFolder } from "../../../world.ts";
import { QUIET } from "../../../observed.ts";
import { entriesOf, obliging, scribeOf } from "./listening.ts";

it.each(["before it listens", "after it has listened"])(
  "that a newer version wrote to, %s, keeps back nothing that others say",
  async (when) => {
    const project = await temporaryFolder();
    const backend = createFileBackend(project);
    const clock = createHandClock();
    const scribe = scribeOf(obliging());
    const first = await openWorld(
      project,
      when === "before it listens" ? { "1": QUIET, "2": QUIET } : { "1": QUIET, "2": QUIET, scribe },
      { backend, clock },
    );
    await first.say(["1", "2"], "One");
    await first.idle();
    await first.stop();
    const folder = join(legionPaths(project).agent("1"), "log");
    await mkdir(folder, { recursive: true });
    const opened = { seq: 90, epoch: 90, at: "2026-01-01T00:00:00.000Z", kind: "opened" };
    await writeFile(
      join(folder, "00000090-000.jsonl"),
      toLine({ ...opened, format: 99, log: "newer", seals: {} }),
    );
    const world = await openWorld(project, { "2": QUIET, scribe }, { backend, clock });
    await world.say("2", "Two");
    await world.idle();
    expect((await entriesOf(backend)).map(({ thread, raw }) => `${thread} ${raw}`)).toContain("0,2 Two");
    expect(world.agent("scribe").standing.state).toBe("idle");
  },
);
