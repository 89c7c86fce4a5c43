// What a sender may not send is kept in its log, with the decision or result that tells it so.

import { mkdir, rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { deadLettersIn, type DeadLetter } from "../../src/past/mail/dead-letters.ts";
import type { Event } from "../../src/domain/event/event.ts";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { fillMailbox } from "./full-mailbox.ts";
import { createWorld, openWorld, readEvents, temporaryFolder, type World } from "../world.ts";

const NOOP = { calls: [{ action: "noop" }] };
const say = (targetAgentId: string, message: string) => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId, message } }],
});

async function* each(events: readonly Event[]): AsyncGenerator<Event> {
  yield* events;
}

async function deadIn(world: World, agent: string): Promise<readonly DeadLetter[]> {
  return deadLettersIn(agent, each(await readEvents(world.project, agent)));
}

it("a message to a full mailbox is kept, in the same commit before the result that says so", async () => {
  const project = await temporaryFolder();
  await fillMailbox(project, "2");
  const world = await openWorld(project, { 1: { script: [say("2", "hello"), NOOP] }, 3: {} });
  const [root] = await world.say("1", "Go.");
  await world.idle();
  const [dead, ...others] = await deadIn(world, "1");
  expect(others).toEqual([]);
  expect(dead).toMatchObject({
    to: ["2"],
    why: "The mailbox of Agent 2 is full: 10000 unread messages.",
    message: { content: "hello", source: { type: "agent", id: "1" }, root, cause: root, hops: 1 },
  });
  expect(dead!.message).not.toHaveProperty("id");
  const events = await world.events("1");
  const result = events.find((event) => event.kind === "result")!;
  expect(result).toMatchObject({ outcome: "error", content: dead!.why });
  expect(events.find(({ seq }) => seq === result.seq - 1)).toMatchObject({ reason: "undeliverable" });
});

it("a message past the size limit is kept whole, beside the log", async () => {
  const long = "x".repeat(1_048_577);
  const world = await createWorld({ 1: { script: [say("2", long), NOOP] }, 2: {} });
  await world.say("1", "Go.");
  await world.idle();
  const restarted = await world.restart({ 1: {} });
  const [dead] = await deadIn(restarted, "1");
  expect(dead?.why).toBe("The message has 1048577 bytes; at most 1048576 are allowed.");
  expect(dead?.message.content === long).toBe(true);
});

it("a message to somebody who was there once is kept, one to somebody who never was is not", async () => {
  const first = await createWorld({ 1: { script: [say("2", "one"), NOOP] }, 2: {} });
  await first.say("1", "Go.");
  await first.idle();
  await first.stop();
  await rm(legionPaths(first.project).agent("2"), { recursive: true });
  const script = [say("2", "two"), say("7", "three"), say("2,7", "four"), say("0", "five"), NOOP];
  const world = await first.restart({ 1: { script } });
  await world.say("1", "Go on.");
  await world.idle();
  expect(await deadIn(world, "1")).toMatchObject([
    { to: ["2"], message: { content: "two" }, why: "There is no agent 2 any more." },
  ]);
  const errors = (await world.kinds("1", "result")).filter(({ outcome }) => outcome === "error");
  expect(errors.map(({ content }) => content)).toEqual([
    "There is no agent 2 any more. Known ids: 1, 0.",
    'There is no agent "7". Known ids: 1, 0.',
    'There is no agent "7". Known ids: 1, 0.',
  ]);
});

it("a plain answer to somebody who is gone is kept, before the decision that gave it", async () => {
  const asking = createScriptedModel([say("1", "How are you?"), NOOP]);
  const first = await createWorld({
    1: { script: () => new Promise(() => undefined) },
    2: { model: asking },
  });
  await first.say("2", "Ask 1.");
  await first.until((seen) => seen.kind === "live:state" && seen.agent === "1" && seen.state === "thinking");
  first.legion.interrupt();
  await first.stop();
  await rm(legionPaths(first.project).agent("2"), { recursive: true });
  const world = await first.restart({ 1: { script: ["Fine."] } });
  await world.idle();
  expect(await deadIn(world, "1")).toMatchObject([
    { to: ["2"], message: { content: "Fine.", hops: 2 }, why: "There is no agent 2 any more." },
  ]);
  const kinds = (await world.events("1")).map(({ kind }) => kind).filter((kind) => kind !== "opened");
  expect(kinds.slice(-2)).toEqual(["notice", "decision"]);
});

it("each message that the hop limit stops is kept; Control is told of the conversation once", async () => {
  // Answers each message with another one, whenever it comes.
  const chat = (to: string) =>
    createScriptedModel(({ turns }, index) =>
      turns.at(-1)?.role === "results" ? NOOP : say(to, `line ${to} ${index}`),
    );
  const world = await createWorld({ 1: { model: chat("2") }, 2: { model: chat("1") } });
  const [root] = await world.say("1", "Talk to 2.");
  await world.idle();
  await world.stop();
  const dead = [...(await deadIn(world, "1")), ...(await deadIn(world, "2"))];
  expect(dead.length).toBeGreaterThan(0);
  for (const { message, why } of dead) {
    expect(message.root).toBe(root);
    expect(message.hops).toBeGreaterThan(32);
    expect(why).toMatch(/^This conversation with Agent \d has gone on for 32 messages/);
  }
  const told = (await world.kinds("0", "message")).filter(({ message }) =>
    message.content.includes("was stopped after 32"),
  );
  expect(told).toHaveLength(1);
});

it("what Control itself may not say is refused at once, and not kept", async () => {
  const project = await temporaryFolder();
  await fillMailbox(project, "2", "0");
  await mkdir(legionPaths(project).agent("3"));
  const world = await openWorld(project, { 1: {} });
  const full = "The mailbox of Agent 2 is full: 11000 unread messages.";
  await expect(world.say("2", "hello")).rejects.toThrow(full);
  await expect(world.say("3", "x".repeat(1_048_577))).rejects.toThrow("at most 1048576");
  await expect(world.say("7", "hello")).rejects.toThrow('There is no agent "7"');
  expect(await deadIn(world, "0")).toEqual([]);
});

it("what Control says to a mailbox that is full for agents gets in", async () => {
  const project = await temporaryFolder();
  await fillMailbox(project, "2");
  const world = await openWorld(project, { 1: {} });
  expect(await world.say("2", "hello")).toEqual(["0>2#1"]);
  expect(await world.legion.unread("2")).toBe(10_001);
});
