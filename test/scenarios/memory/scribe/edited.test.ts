// What a person makes of the document that the scribe keeps.

import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { memoryPaths } from "../../../../src/storage/folder/memory-paths.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { openWorld, temporaryFolder } from "../../../world.ts";
import { QUIET } from "../../../observed.ts";
import { MEMORY, obliging, scribeOf } from "./listening.ts";

it("the scribe's document that a person changed still comes to hold what was said before they did", async () => {
  const project = await temporaryFolder();
  const backend = createFileBackend(project);
  const model = obliging();
  const clock = createHandClock();
  const world = await openWorld(project, { "1": QUIET, scribe: scribeOf(model) }, { backend, clock });
  await world.say("1", "One");
  await world.idle();
  clock.advance(30 * 60_000);
  await world.idle();
  await world.say("1", "Two");
  await world.idle();
  await world.stop();
  await backend.memories.close();
  await writeFile(memoryPaths(project, MEMORY).context, "# Facts\nMine.\n");
  const again = await openWorld(project, { "1": QUIET, scribe: scribeOf(model) }, { backend, clock });
  clock.advance(30 * 60_000);
  await again.idle();
  const { system } = model.requests.at(-1)!;
  expect(system).toContain("Current context:\n> # Facts\n> Mine.");
  expect(system).toContain("> Two");
  expect(system).not.toContain("> One");
});
