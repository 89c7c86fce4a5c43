import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { messaging } from "../../../modules/messaging.ts";
import { defineAction, defineModule, fromOutside, ok } from "../../../src/domain/authoring/module.ts";
import { mailboxName } from "../../../src/storage/folder/person/authorship.ts";
import { toLine } from "../../../src/storage/folder/line.ts";
import type { Message } from "../../../src/domain/message/message.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { serve } from "../../control/serve.ts";
import { ownHand } from "../../own-hand.ts";
import { createWorld, temporaryFolder } from "../../world.ts";
import { follow, legion } from "../legion.ts";

const tell = (message: string) => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId: "0", message } }],
});

it("shows what agents said to the person, the newest last, with and without a node", async () => {
  const world = await createWorld({ "2": { script: [tell("One\u001b[2J\nmore"), tell("Two")] } });
  await world.say("2", "Work");
  await world.idle();

  const during = await legion(["inbox"], { cwd: world.project });
  await world.stop();
  const after = await legion(["inbox"], { cwd: world.project });

  expect(during.out).toBe(after.out);
  const [head, one, more, , next, two] = after.out.split("\n");
  expect(head).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  Agent 2  \(2>0#1\)$/);
  expect([one, more]).toEqual(["  One", "  more"]);
  expect(next).toContain("(2>0#2)");
  expect(two).toBe("  Two");
});

it("says in whose name an agent writes, and what from outside it had been shown", async () => {
  const look = defineAction({
    description: "Look out.",
    execute: () => fromOutside(ok("rain"), "https://a.example/\u001b[2J"),
  });
  const world = await createWorld({
    "1": {
      script: [
        { calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: "Look out." } }] },
        { calls: [{ action: "noop" }] },
      ],
    },
    "2": {
      script: [{ calls: [{ action: "look" }] }, tell("It rains.")],
      modules: [messaging, defineModule({ name: "outside", actions: { look } })],
    },
  });
  await world.say("1", "Go.");
  await world.idle();
  const { out } = await legion(["inbox"], { cwd: world.project });
  expect(out.split("\n").slice(1, 4)).toEqual([
    "(in the name of Agent 1)",
    "(after words from outside: https://a.example/\\u{1b}[2J)",
    "  It rains.",
  ]);
});

it("prints messages as JSON", async () => {
  const world = await createWorld({ "2": { script: [tell("One")] } });
  await world.say("2", "Work");
  await world.idle();
  const { json } = await legion(["inbox", "--json"], { cwd: world.project });
  expect(json).toMatchObject([
    { id: "2>0#1", source: { type: "agent", id: "2" }, targetAgentIds: ["0"], content: "One", re: "0>2#1" },
  ]);
});

it("tells people when there is nothing", async () => {
  const cwd = await temporaryFolder();
  expect((await legion(["inbox"], { cwd })).out).toBe("Nobody has said anything to you yet.\n");
  expect((await legion(["inbox", "--json"], { cwd })).out).toBe("");
});

/** What a node leaves that was killed between mailbox and log. */
async function leaveInMailbox(project: string, content: string): Promise<void> {
  const folder = join(legionPaths(project).agent("0"), "mailbox");
  const stamp = { epoch: 1, at: "2026-01-01T00:00:00.000Z" };
  const message: Message = {
    id: "3>0#1",
    type: "agentToAgent",
    source: { type: "agent", id: "3" },
    targetAgentIds: ["0"],
    content,
    sentAt: stamp.at,
    delivery: "normal",
    root: "3>0#1",
    hops: 1,
  };
  const mac = (await ownHand()).sign(mailboxName("0"), stamp.epoch);
  const opened = { seq: 500, ...stamp, kind: "opened", format: 1, seals: {}, mac };
  const mail = { seq: 501, ...stamp, kind: "mail", from: "log-of-3", message };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "00000001-500.jsonl"), toLine(opened) + toLine(mail));
}

it("shows mail that a crash left in the mailbox, and shows it once", async () => {
  const world = await createWorld({ "2": { script: [tell("Taken in")] } });
  await world.say("2", "Work");
  await world.idle();
  await world.stop();
  await leaveInMailbox(world.project, "Left behind");

  const { out } = await legion(["inbox"], { cwd: world.project });
  expect(out.match(/Left behind/g)).toHaveLength(1);

  const following = follow(["inbox", "-f", "--json"], { cwd: world.project });
  await following.until("Left behind");
  const ended = following.endAt("Later");
  const again = await world.restart({ "2": { script: [tell("Later")] } });
  await serve(again);
  await again.say("2", "Work");
  const { json } = await ended;
  expect(json.map((message) => (message as { content: string }).content)).toEqual([
    "Taken in",
    "Left behind",
    "Later",
  ]);
});
