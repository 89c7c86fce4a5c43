import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MAX_CONTENT_BYTES } from "../../../src/domain/message/message.ts";
import { createBatch } from "../../../src/legion/batch/batch.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { createHandClock } from "../../hand-clock.ts";
import { createWorld, temporaryFolder, toPlan } from "../../world.ts";

it("leaves the trajectory of a task that could not be begun, and nothing that writes it", async () => {
  const world = await createWorld({});
  const folder = await temporaryFolder();
  const clock = createHandClock();
  const trajectory = join(folder, "a.traj.json");
  const task = {
    ...{ id: "a", agent: "a", isBegun: false, isToldWhole: false, trajectory },
    text: () => Promise.resolve("x".repeat(MAX_CONTENT_BYTES + 1)),
    keep: () => Promise.resolve(),
    keepWhole: () => Promise.resolve(),
  };
  const batch = createBatch({
    ...{ tasks: [task], workers: 1, folder, model: "scripted", clock },
    reader: createFileReader(world.project),
    crew: {
      prepare: (agent) => Promise.resolve({ plan: toPlan(agent, { script: ["Done."] }), remarks: [] }),
    },
    onEnd: () => undefined,
    tell: (problem) => expect.unreachable(problem),
  });
  await batch.work(world.legion, new AbortController().signal);
  expect(await batch.settled()).toEqual([]);
  expect(batch.rows()).toMatchObject([{ status: "Error", reason: expect.stringContaining("bytes") }]);
  expect(clock.sleeping()).toEqual([]);
  expect(JSON.parse(await readFile(trajectory, "utf8"))).toMatchObject({ info: {} });
});
