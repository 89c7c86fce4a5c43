import { rm } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/domain/model.ts";
import { compose, type Letter } from "../../src/mail/compose.ts";
import { deadLettersIn } from "../../src/past/mail/dead-letters.ts";
import type { AgentId, Message } from "../../src/domain/message/message.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { openFileStore } from "../../src/storage/files/store.ts";
import { UNHOSTED } from "../../src/storage/contract/store.ts";
import { createHandClock } from "../hand-clock.ts";
import { fillMailbox } from "./full-mailbox.ts";
import {
  byHand,
  createWorld,
  openWorld,
  readEvents,
  temporaryFolder,
  type World,
  type WorldAgent,
} from "../world.ts";

const NOOP = { calls: [{ action: "noop" }] };
const say = (targetAgentId: string, message: string) => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId, message } }],
});

let project: string;

beforeEach(async () => {
  project = await temporaryFolder();
});

/** A world in which a message of `sender` to agent 3 is kept, which is gone; with agent 3 again only in the next one. */
async function bereaved(
  sender: AgentId,
  agents: Readonly<Record<AgentId, WorldAgent>>,
  words: Partial<Letter> = {},
): Promise<World> {
  await (await openWorld(project, { 1: {}, 3: {} })).stop();
  const paths = legionPaths(project);
  const store = await openFileStore({
    paths,
    role: "command",
    durability: "process",
    clock: createHandClock(),
    inspect: () => undefined,
    hosted: new Set(["1"]),
  });
  const memory = sender === "0" ? store.control.memory : await store.openAgent(sender, UNHOSTED);
  const letter = { from: sender, to: ["3"], content: "hello", details: { plain: true }, ...words };
  await memory.commit({ kind: "notice", reason: "said", content: "", sends: compose(memory, letter, [], 0) });
  if (sender !== "0") await memory.close();
  await store.close();
  await rm(paths.agent("3"), { recursive: true });
  const world = await openWorld(project, agents);
  await world.idle();
  return world;
}

async function dead(agent: AgentId): Promise<readonly string[]> {
  const events = await readEvents(project, agent);
  const each = async function* () {
    yield* events;
  };
  return (await deadLettersIn(agent, each())).filter(({ isResent }) => !isResent).map(({ id }) => id);
}

async function mail(world: World, agent: AgentId): Promise<readonly Message[]> {
  return (await world.kinds(agent, "message")).map(({ message }) => message);
}

describe("a dead letter that is sent again", () => {
  it("stays dead as long as its recipient is gone, and reaches an agent of that name that is there again", async () => {
    const world = await bereaved("1", { 1: {} });
    const [id] = await dead("1");
    await expect(world.legion.resend(id!)).rejects.toThrow(
      `${id} stays a dead letter. There is no agent 3 any more.`,
    );
    expect(await dead("1")).toEqual([id]);

    const again = await world.restart({ 1: {}, 3: {} });
    expect(await again.legion.resend(id!)).toEqual(["1>3#2"]);
    await again.idle();
    const [message, ...others] = await mail(again, "3");
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      id: "1>3#2",
      source: { type: "agent", id: "1" },
      targetAgentIds: ["3"],
      content: "hello",
      root: "1>3#2",
      hops: 0,
      details: { plain: true, dead: id, resent: "by Control" },
    });
    expect(await dead("1")).toEqual([]);
    const [notice] = (await again.kinds("1", "notice")).filter(({ reason }) => reason === "resent");
    expect(notice).toMatchObject({ content: "hello", details: { dead: id }, sends: [{ id: "1>3#2" }] });
    await expect(again.legion.resend(id!)).rejects.toThrow(`${id} was sent again already.`);
    expect(await mail(again, "3")).toHaveLength(1);
  });

  it("still says in whose name and from where it came, though its sender has gone back to before it read that", async () => {
    await (await bereaved("1", {}, { marks: { authority: ["2", "1"], taint: ["a page"] } })).stop();
    const world = await openWorld(project, { 1: {}, 3: {} });
    await world.legion.resend((await dead("1"))[0]!);
    await world.idle();
    expect(await mail(world, "3")).toMatchObject([{ authority: ["2", "1"], taint: ["a page"] }]);
  });

  it("is sent by an agent that does not run, by Control, and while its sender rests", async () => {
    await (await bereaved("1", { 2: {} })).stop();
    await (await bereaved("0", { 2: {} })).stop();
    const world = await openWorld(project, { 3: {} });
    expect(await world.legion.resend((await dead("1"))[0]!)).toEqual(["1>3#2"]);
    expect(await world.legion.resend((await dead("0"))[0]!)).toEqual(["0>3#2"]);
    await world.idle();
    expect((await mail(world, "3")).map(({ id }) => id).sort()).toEqual(["0>3#2", "1>3#2"]);
    const later = await world.restart({ 1: { script: [say("3", "next"), NOOP] }, 3: {} });
    await later.say("1", "Go on.");
    await later.idle();
    expect((await mail(later, "3")).map(({ id }) => id)).toContain("1>3#3");
  });

  it("begins a chain of its own, however long the one was that it was refused in, and goes to all of its targets", async () => {
    // Answers each message with another one, whenever it comes.
    const chat =
      (to: string) =>
      ({ turns }: Pick<ModelRequest, "turns">) =>
        turns.at(-1)?.role === "results" ? NOOP : say(to, "line");
    const world = await createWorld({ 1: { script: chat("2,3") }, 2: { script: chat("1,3") }, 3: {} });
    project = world.project;
    await world.say("1", "Talk to 2.");
    await world.idle();
    const still = await world.restart({ 1: {}, 2: {}, 3: {} });
    await still.idle();
    const [id] = [...(await dead("1")), ...(await dead("2"))];
    const ids = await still.legion.resend(id!);
    expect(ids).toHaveLength(2);
    await still.idle();
    const received = (await mail(still, "3")).find((message) => ids.includes(message.id));
    expect(received).toMatchObject({ root: received!.id, hops: 0, content: "line" });
    expect(received).not.toHaveProperty("cause");
  });

  it("waits for the step that its sender is at", async () => {
    const answer = byHand<typeof NOOP>();
    const world = await bereaved("1", { 1: {} });
    const again = await world.restart({ 1: { script: () => answer.promise }, 3: {} });
    await again.say("1", "Think.");
    await again.until((seen) => seen.kind === "live:state" && seen.state === "thinking");
    const [id] = await dead("1");
    const resending = again.legion.resend(id!);
    const twice = expect(again.legion.resend(id!)).rejects.toThrow("was sent again already");
    answer.resolve(NOOP);
    expect(await resending).toEqual(["1>3#2"]);
    await twice;
    await again.idle();
    const kinds = (await again.events("1")).map((event) =>
      event.kind === "notice" ? event.reason : event.kind,
    );
    expect(kinds.indexOf("resent")).toBeGreaterThan(kinds.indexOf("result"));
  });

  it("stays dead while a mailbox is full", async () => {
    const mailbox = await fillMailbox(project, "2");
    const world = await openWorld(project, { 1: { script: [say("2", "hello"), NOOP] } });
    await world.say("1", "Go.");
    await world.idle();
    const [id] = await dead("1");
    await expect(world.legion.resend(id!)).rejects.toThrow(
      "The mailbox of Agent 2 is full: 10000 unread messages.",
    );
    await world.stop();
    await rm(mailbox, { recursive: true });
    const again = await world.restart({ 1: {}, 2: {} });
    expect(await again.legion.resend(id!)).toEqual(["1>2#1"]);
    await again.idle();
    expect(await mail(again, "2")).toMatchObject([{ content: "hello" }]);
  });
});

it.each(["1@1", "1@999", "2@1", "9@1", "../1@1", "0@1", "", "1>2#1"])(
  "there is no dead letter %j",
  async (id) => {
    const world = await openWorld(project, { 1: {}, 2: {} });
    await world.say("1", "Hello.");
    await world.idle();
    await expect(world.legion.resend(id)).rejects.toThrow(`There is no dead letter ${JSON.stringify(id)}.`);
  },
);
