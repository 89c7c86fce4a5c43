import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { durabilityOf } from "../../../src/storage/redis/connection/health.ts";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import type { NewEvent } from "../../../src/domain/event.ts";
import { MAILBOX_LIMIT, type AgentId, type Message } from "../../../src/domain/message.ts";
import { createSpeech } from "../../../src/storage/redis/person/speech.ts";
import { makeKnown, openTestLink } from "./members.ts";
import { newLegion } from "./places.ts";
import { openNode } from "./redis-world.ts";
import { redisIsThere, startRedis, startSentinel, tell, until, type Server } from "./servers.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

function saying(to: AgentId): NewEvent {
  const message: Message = {
    id: `0>${to}#1`,
    type: "agentToAgent",
    source: { type: "agent", id: "0" },
    targetAgentIds: [to],
    content: "Hello.",
    sentAt: "2026-01-01T00:00:00.000Z",
    delivery: "normal",
    root: `0>${to}#1`,
    hops: 0,
  };
  return { kind: "notice", reason: "said", content: "Hello.", sends: [message] };
}

describe.skipIf(!redisIsThere)("what a process said that is gone", () => {
  it("is delivered also behind very much that waits for a full mailbox", async () => {
    const legion = newLegion();
    const link = await openTestLink(server.url);
    await makeKnown(link, legion, ["1", "2"]);
    const { mailbox } = agentKeys(legion, "2");
    await Promise.all(
      Array.from({ length: MAILBOX_LIMIT }, (_, n) => link.command("XADD", mailbox, `0-${n + 1}`, "m", "")),
    );
    const speech = createSpeech({ link, legion }, Date.now);
    await speech.speak([...Array.from({ length: 250 }, () => saying("2")), saying("1")]);
    const node = await openNode(server.url, legion, {
      1: { script: () => ({ calls: [{ action: "noop" }] }) },
    });
    await until(async () => (await node.kinds("1", "message")).length === 1);
  });
});

describe.skipIf(!redisIsThere)("a Redis that Sentinels watch", () => {
  it("may lose what it acknowledged also while it has no replica", async () => {
    const watched = await startSentinel();
    try {
      const link = await openTestLink(watched.url);
      await watched.replica.stop();
      const { port } = watched.master;
      await until(async () => String(await tell(port, "INFO", "replication")).includes("connected_slaves:0"));
      expect(await durabilityOf(link, [])).toBe("weak");
      expect(await durabilityOf(await openTestLink(server.url), [])).toBe("always");
    } finally {
      await watched.stop();
    }
  });
});
