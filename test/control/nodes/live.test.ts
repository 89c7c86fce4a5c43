import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createInspector, type Inspection } from "../../../src/domain/inspection.ts";
import type { Nodes } from "../../../src/storage/contract/nodes.ts";
import { createRedisNodes } from "../../../src/storage/redis/node/nodes.ts";
import { overhear, tellLive } from "../../../src/control/nodes/live.ts";
import { openTestLink } from "../../storage/redis/members.ts";
import { redisIsThere, startRedis, type Server } from "../../storage/redis/servers.ts";

let server: Server;
beforeAll(async () => void (server = await startRedis()));
afterAll(() => server.stop());

const delta = (agent: string, text: string): Inspection => ({
  ...{ kind: "live:delta", agent, delta: { kind: "text", text } },
});

/** A node that runs agent 1, and somebody elsewhere. */
async function places() {
  const legion = `legion-${randomUUID()}`;
  const nodes = async (): Promise<Nodes> =>
    createRedisNodes({ link: await openTestLink(server.url), legion });
  const inspector = createInspector();
  let watchers = 0;
  const counted = {
    watch: (watcher: (seen: Inspection) => void) => {
      watchers++;
      const unwatch = inspector.watch(watcher);
      return () => {
        watchers--;
        unwatch();
      };
    },
  };
  const stop = await tellLive({ nodes: await nodes(), inspector: counted, runs: (agent) => agent === "1" });
  onTestFinished(stop);
  return { inspector, elsewhere: await nodes(), watchers: () => watchers };
}

describe.skipIf(!redisIsThere)("what is live over Redis", () => {
  it("is told of an agent while somebody watches it, and of no other; before that nobody looks", async () => {
    const { inspector, elsewhere, watchers } = await places();
    const leaving = new AbortController();
    const told: unknown[] = [];
    let enough = (): void => undefined;
    const both = new Promise<void>((resolve) => (enough = resolve));
    expect(watchers()).toBe(0);
    const tell = (text: string): void => {
      told.push(JSON.parse(text));
      if (told.length === 2) enough();
    };
    const overhearing = overhear(elsewhere, "1", tell, leaving.signal);
    await elsewhere.watched.say("2");
    while (watchers() === 0) await elsewhere.watched.say("2");
    const stamp = { seq: 1, epoch: 1, at: "2026-01-01T00:00:00.000Z" };
    const event: Inspection = { kind: "event", agent: "1", event: { kind: "sent", upTo: 1, ...stamp } };
    for (const seen of [delta("1", "one"), delta("2", "other"), event, delta("1", "two")])
      inspector.inspect(seen);
    await both;
    expect(told).toEqual([delta("1", "one"), delta("1", "two")]);
    leaving.abort();
    await overhearing;
  });

  it("makes nothing of what makes no sense, whoever says it", async () => {
    const { inspector, elsewhere, watchers } = await places();
    const leaving = new AbortController();
    const told: string[] = [];
    let come = (): void => undefined;
    const first = new Promise<void>((resolve) => (come = resolve));
    const overhearing = overhear(
      elsewhere,
      "1",
      (text) => {
        told.push(text);
        come();
      },
      leaving.signal,
    );
    while (watchers() === 0) await elsewhere.watched.say("nobody");
    const viewers = elsewhere.channel("viewers", "1");
    for (const text of [
      "",
      "{",
      "[]",
      '{"kind":"event"}',
      '{"kind":"live:delta","agent":"2"}',
      "x".repeat(2_000_000),
    ])
      await viewers.say(text);
    inspector.inspect(delta("1", "true"));
    await first;
    expect(told.map((text) => JSON.parse(text) as unknown)).toEqual([delta("1", "true")]);
    leaving.abort();
    await overhearing;
  });
});
