import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createClock } from "../../../../src/base/clock.ts";
import type { Control } from "../../../../src/mail/control.ts";
import { enlist } from "../../../../src/storage/redis/cluster/directory.ts";
import { openRedisStore } from "../../../../src/storage/redis/store.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import type { NewEvent } from "../../../../src/domain/event/event.ts";
import { mailboxLimit, type AgentId, type Message } from "../../../../src/domain/message/message.ts";
import { createPersonLog } from "../../../../src/storage/redis/person/log.ts";
import { makeKnown, openTestLink } from "../members.ts";
import { newLegion } from "../places.ts";
import { openNode } from "../redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "../servers.ts";

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
      Array.from({ length: mailboxLimit("0") }, (_, n) =>
        link.command("XADD", mailbox, `0-${n + 1}`, "m", ""),
      ),
    );
    const log = createPersonLog({ link, legion }, Date.now);
    await log.add([...Array.from({ length: 250 }, () => saying("2")), saying("1")]);
    const node = await openNode(server.url, legion, {
      1: { script: () => ({ calls: [{ action: "noop" }] }) },
    });
    await until(async () => (await node.kinds("1", "message")).length === 1);
  });
});

describe.skipIf(!redisIsThere)("what two processes do at once with what stands in the log", () => {
  it("is done one after the other: whoever comes second reads anew", async () => {
    const legion = newLegion();
    const controls = await Promise.all(
      [1, 2].map(async () => {
        const link = await openTestLink(server.url);
        const store = await openRedisStore({ link, legion, role: "command", clock: createClock() });
        onTestFinished(() => store.close());
        return store.control;
      }),
    );
    const count = (control: Control): Promise<number> =>
      control.alone(async ({ memory }) => {
        let notices = 0;
        for await (const { kind } of memory.read()) if (kind === "notice") notices++;
        await memory.commit({ kind: "notice", reason: "said", content: `${notices} before` });
        return notices;
      });
    const counted = await Promise.all([1, 2, 3, 4, 5].flatMap(() => controls.map(count)));
    expect(counted.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("takes no more than one of them where nothing was read: what is said is said", async () => {
    const legion = newLegion();
    const link = await openTestLink(server.url);
    await makeKnown(link, legion, ["1"]);
    await enlist({ link, legion, agent: "1" }, "{}");
    const store = await openRedisStore({ link, legion, role: "command", clock: createClock() });
    onTestFinished(() => store.close());
    const ids = await Promise.all(
      Array.from({ length: 50 }, (_, n) => store.control.say(["1"], `word ${n}`)),
    );
    expect(ids.flat().toSorted()).toEqual(Array.from({ length: 50 }, (_, n) => `0>1#${n + 1}`).toSorted());
  });
});
