import { expect, it } from "vitest";
import { serve } from "../../control/serve.ts";
import { NOOP, story, work, workshop } from "../../workshop.ts";
import { byHand, createWorld, openWorld, temporaryFolder, type World } from "../../world.ts";
import { ok } from "../../../src/domain/authoring/module.ts";
import { legion } from "../legion.ts";

const noops = [NOOP, NOOP, NOOP, NOOP];

/** Agent 1 is at the first of two calls until `letGo`. */
async function busy(): Promise<{ readonly world: World; readonly letGo: () => void }> {
  const [started, hold] = [byHand(), byHand()];
  const modules = workshop(async (step) => {
    started.resolve();
    await hold.promise;
    return ok(step);
  });
  const world = await createWorld({ "1": { script: [work("a", "b"), ...noops], modules } });
  await serve(world);
  await world.say("1", "Go.");
  await started.promise;
  return { world, letGo: hold.resolve };
}

it("says to an agent at work what is read next, or when it is done, and when that will be", async () => {
  const { world, letGo } = await busy();
  const send = (...args: string[]) => legion(["send", "1", ...args], { cwd: world.project, columns: 100 });
  expect((await send("Later", "--follow-up")).out).toBe("Agent 1 reads it once all that is to do is done.\n");
  expect((await send("Now", "--steer")).out).toBe(
    "Agent 1 finishes what runs, begins nothing further and reads it.\n",
  );
  expect((await send("At last", "--follow-up")).exitCode).toBe(0);
  letGo();
  await world.idle();
  expect(await story(world)).toEqual([
    "message: Go.",
    "decision: 2 calls",
    "ok: a",
    "idle: Skipped: new instructions arrived.",
    "held: Later",
    "notice: undeliverable",
    "message: Now",
    "held: At last",
    "decision: 1 calls",
    "idle: ",
    "released",
    "decision: 1 calls",
    "idle: ",
  ]);
  const { out } = await legion(["inbox"], { cwd: world.project });
  expect(out).toContain("1 follow-up to Agent 1 will not be read: your new instructions came first.");
});

it("lists what a steer withdrew, and sends it again once, from the person", async () => {
  const { world, letGo } = await busy();
  const send = (...args: string[]) => legion(["send", "1", ...args], { cwd: world.project });
  await send("Later", "--follow-up");
  await send("Now", "--steer");
  letGo();
  await world.idle();
  const dead = await legion(["inbox", "--dead"], { cwd: world.project });
  expect(dead.out).toMatch(
    /^1@\d+ +\d+s +Control \(follow-up\) to Agent 1: Later\n {2}New instructions came before it was read\.\n/,
  );
  const [id] = dead.out.split(" ");
  const again = await legion(["resend", id!], { cwd: world.project });
  expect(again).toMatchObject({ exitCode: 0, out: "0>1#4\n" });
  await world.idle();
  expect((await world.kinds("1", "released")).length).toBe(1);
  expect((await legion(["resend", "0>1#2"], { cwd: world.project })).err).toContain("was sent again already");
  expect((await legion(["inbox", "--dead"], { cwd: world.project })).out).toBe(
    "There are no dead letters.\n",
  );
});

it("leaves a steer and a follow-up for an agent that does not run until it does; ps tells what it holds", async () => {
  const project = await temporaryFolder();
  await (await openWorld(project, { "1": { script: noops } })).stop();
  for (const lane of ["--follow-up", "--steer"])
    expect((await legion(["send", "1", "x", lane], { cwd: project })).exitCode).toBe(0);
  const world = await openWorld(project, { "1": { script: noops } });
  await world.idle();
  await world.legion.agents.get("1")!.pause("by a test");
  const events = await story(world);
  expect(events).toEqual([
    "held: x",
    "notice: undeliverable",
    "message: x",
    "decision: 1 calls",
    "idle: ",
    "notice: paused",
  ]);
  await world.stop();
  const { json } = await legion(["ps", "--json"], { cwd: project });
  expect(json).toMatchObject([{ id: "1", unread: 0, held: 0 }]);
});

it("says to all in a lane as well", async () => {
  const world = await createWorld({ "1": { script: noops }, "2": { script: noops } });
  await serve(world);
  expect((await legion(["send", "all", "x", "--steer"], { cwd: world.project })).out).toBe("0>1#1\n0>2#1\n");
  await world.idle();
  for (const id of ["1", "2"]) expect((await story(world, id))[0]).toBe("message: x");
});
