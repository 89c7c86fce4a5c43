import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewEvent } from "../../src/domain/event/event.ts";
import { createRedisBackend } from "../../src/storage/redis/backend.ts";
import { createRedisReader, followInRedis } from "../../src/storage/redis/reader/reader.ts";
import { agentKeys } from "../../src/storage/redis/scripts/keys.ts";
import { letter } from "../mail/letter.ts";
import { openTestLink } from "../storage/redis/members.ts";
import { createRedisPlace } from "../storage/redis/recorded-place.ts";
import { redisIsThere, startRedis, type Server } from "../storage/redis/servers.ts";
import { createTempProject } from "../temp-project.ts";
import { byHand } from "../world.ts";
import { follow } from "./legion.ts";

const note = (content: string): NewEvent => ({ kind: "notice", reason: "restarted", content });

/** From the second event on; what a node tells is not heard. */
const LISTENING = { from: 2, onAway: () => undefined, live: () => Promise.resolve([]) };

describe.skipIf(!redisIsThere)("following a legion while its Redis goes away", () => {
  let server: Server;
  let name: string;
  let cwd: string;
  beforeEach(async () => {
    server = await startRedis();
    name = `legion-${randomUUID()}`;
    cwd = await createTempProject();
  });
  afterEach(() => server.stop());

  const following = (...argv: string[]) =>
    follow([...argv, "--json", "--bus", server.url, "--name", name], { cwd });
  const contents = (json: readonly unknown[]) => json.map((line) => (line as { content?: string }).content);

  it("log -f says so once, waits, and goes on where it was", async () => {
    const before = await createRedisPlace(server.url, name);
    await before.append("0", [note("Before")]);
    const log = following("log", "0", "-f");
    await log.until("Before");
    await server.kill();
    await log.untilError("waiting until Redis answers");
    await server.restart();
    const after = await createRedisPlace(server.url, name);
    await after.append("0", [note("After")]);
    await log.until("After");
    await server.kill();
    await log.untilError("waiting until Redis answers\nlegion:");
    await server.restart();
    await (await createRedisPlace(server.url, name)).append("0", [note("Last")]);
    const { json, err } = await log.endAt("Last");
    const said = contents(json).filter((content) => content !== undefined);
    expect(said).toEqual(["Before", "After", "Last"]);
    const away = err.split("\n").filter((line) => line.includes("waiting until"));
    expect(away).toHaveLength(2);
    expect(away[0]).toMatch(
      /^legion: [^\n]*redis:\/\/127\.0\.0\.1:\d+\/0[^\n]*; waiting until Redis answers$/,
    );
  });

  it("log -f shows nothing again when Redis lost the end of the log", async () => {
    const place = await createRedisPlace(server.url, name);
    await place.append("0", [note("one"), note("two"), note("three")]);
    const link = await openTestLink(server.url);
    const reader = createRedisReader({ link, legion: name });
    const looked = byHand();
    const last = async (agent: string): Promise<number> => {
      const found = await reader.last(agent);
      if (found === 3) looked.resolve();
      return found;
    };
    const ending = new AbortController();
    const seen: string[] = [];
    const seenPlace = { link, legion: name, reader: { ...reader, last } };
    const events = followInRedis(seenPlace, "0", { ...LISTENING, signal: ending.signal, lookMs: 100 });
    for await (const event of events) {
      seen.push(event.kind === "notice" ? event.content : event.kind);
      if (seen.length === 3) {
        const { log, meta } = agentKeys(name, "0");
        await link.command("XDEL", log, "0-4");
        await link.command("XSETID", log, "0-3");
        await link.command("HSET", meta, "seq", 3);
        void looked.promise.then(() => place.append("0", [note("four")]));
      }
      if (seen.length === 4) ending.abort();
    }
    expect(seen).toEqual(["one", "two", "three", "four"]);
  });

  it("log -f hears of each event, and looks by itself only now and then", async () => {
    const place = await createRedisPlace(server.url, name);
    await place.enlist("1", {});
    const link = await openTestLink(server.url);
    const backend = createRedisBackend({ link, legion: name });
    for (const agent of ["0", "1"]) {
      await place.append(agent, [note("one")]);
      const ending = new AbortController();
      const { signal } = ending;
      const following = { ...LISTENING, signal, lookMs: 600_000 };
      const seen: string[] = [];
      for await (const event of backend.follow(agent, following)) {
        seen.push(event.kind === "notice" ? event.content : event.kind);
        if (seen.length === 1) void place.append(agent, [note("two")]);
        if (seen.length === 2) setImmediate(() => void place.append(agent, [note("three")]));
        if (seen.length === 3) ending.abort();
      }
      expect(seen).toEqual(["one", "two", "three"]);
    }
  });

  it("inbox -f says so once, waits, and shows each message once", async () => {
    const before = await createRedisPlace(server.url, name);
    await before.deliver(letter("0", 1));
    await before.gather();
    const inbox = following("inbox", "-f");
    await inbox.until("x 1");
    await server.kill();
    await inbox.untilError("waiting until Redis answers");
    await server.restart();
    const after = await createRedisPlace(server.url, name);
    await after.deliver(letter("0", 2));
    await after.gather();
    const { json, err } = await inbox.endAt("x 2");
    expect(contents(json)).toEqual(["x 1", "x 2"]);
    expect(err.match(/waiting until/g)).toHaveLength(1);
  });
});
