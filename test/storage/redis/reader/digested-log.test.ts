import { randomUUID } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedisReader } from "../../../../src/storage/redis/reader/reader.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { entryId } from "../../../../src/storage/redis/scripts/pages.ts";
import { digestFolderOf } from "../../../../src/storage/folder/cache/digest-file.ts";
import { toLine } from "../../../../src/storage/folder/line.ts";
import { decided, prompted } from "../../../past/digest/any-log.ts";
import { createTempProject } from "../../../temp-project.ts";
import { openTestLink } from "../members.ts";
import { createRedisPlace } from "../recorded-place.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";

const STEPS = 200;
/** What nobody but a digest that was kept can say. */
const FORGED = 7_777;
const steps = (count: number) => Array.from({ length: count }, (_, n) => [prompted(n), decided(n)]).flat();

describe.skipIf(!redisIsThere)("the digest of a log in Redis", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  async function createKept() {
    const legion = `digest-${randomUUID()}`;
    const folder = digestFolderOf(await createTempProject(), legion);
    const link = await openTestLink(server.url);
    const reader = createRedisReader({ link, legion }, folder);
    const place = await createRedisPlace(server.url, legion);
    await place.enlist("1", {});
    await place.append("1", steps(STEPS));
    const path = join(folder.folder, "1.json");
    /** Whoever asks for less is told the same, also where how it stands is not kept in Redis. */
    const stepsNow = async (): Promise<number> => {
      await link.command("DEL", agentKeys(legion, "1").standing);
      const { steps } = (await reader.standing("1")).ledger.spent;
      expect((await reader.digest("1")).ledger.spent.steps).toBe(steps);
      return steps;
    };
    expect(await stepsNow()).toBe(STEPS);
    const [first = "", rest = ""] = (await readFile(path, "utf8")).split("\n");
    const { crc: _, ...said } = JSON.parse(first) as {
      readonly crc: string;
      readonly head: { readonly ledger: { readonly spent: { steps: number } } };
    };
    said.head.ledger.spent.steps = FORGED;
    await writeFile(path, `${toLine(said)}${rest}\n`);
    expect(await stepsNow()).toBe(FORGED);
    return { link, legion, place, path, folder, stepsNow };
  }

  it("is gone on from where more came since", async () => {
    const { place, stepsNow } = await createKept();
    await place.append("1", steps(3));
    expect(await stepsNow()).toBe(FORGED + 3);
    await place.append("1", steps(300));
    expect(await stepsNow()).toBe(FORGED + 303);
  });

  it("is made anew where another log is in its place, shorter or longer, or Redis lost its end", async () => {
    for (const count of [STEPS, STEPS + 10, 5]) {
      const { place, legion, stepsNow } = await createKept();
      await place.forget("1");
      const anew = await createRedisPlace(server.url, legion);
      await anew.enlist("1", {});
      await anew.append("1", steps(count));
      expect(await stepsNow()).toBe(count);
    }
    const { link, legion, stepsNow } = await createKept();
    await link.command("XDEL", agentKeys(legion, "1").log, entryId(2 * STEPS + 1), entryId(2 * STEPS));
    expect(await stepsNow()).toBe(STEPS - 1);
  });

  it("is made anew where what was kept is damaged, and is kept under the name of the legion", async () => {
    const { path, folder, stepsNow, legion } = await createKept();
    await writeFile(path, "{}");
    expect(await stepsNow()).toBe(STEPS);
    expect(folder.folder.endsWith(`/.ai-legion/cache/digests-of-${legion}`)).toBe(true);
    expect(await readdir(folder.tmp)).toEqual([]);
  });
});
