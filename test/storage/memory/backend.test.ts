import { expect, it } from "vitest";
import { createMemoryBackend } from "../../../src/storage/memory/backend.ts";
import { openWorld, temporaryFolder } from "../../world.ts";
import { describeBackend } from "../contract/backend-contract.ts";

describeBackend("memory", () => Promise.resolve(createMemoryBackend()));

it("a legion in memory is run by one at a time", async () => {
  const backend = createMemoryBackend();
  const world = await openWorld(await temporaryFolder(), { "1": {} }, { backend });
  await expect(openWorld(await temporaryFolder(), { "1": {} }, { backend })).rejects.toMatchObject({
    code: "LOCKED",
  });
  await world.restart();
});
