import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import { agent, answer, asking, deploy, questionOf } from "../../agent/act/asking.ts";
import { legion } from "../../cli/legion.ts";
import { createWorld, openWorld, temporaryFolder, type World } from "../../world.ts";
import { replay } from "../replay/replays.ts";

const isDeployed = (world: World, id: string) =>
  world.until((seen) => seen.kind === "event" && seen.agent === id && seen.event.kind === "result");

/** The numbers of the questions whose letters are in the log of `id`. */
async function asked(world: World, id: string): Promise<readonly unknown[]> {
  const letters = (await world.kinds(id, "approval")).flatMap(({ sends }) => sends ?? []);
  return letters.map(({ details }) => (details as { question: string }).question);
}

async function refusal(project: string, question: string): Promise<string> {
  return (await legion(["approve", question], { cwd: project })).err;
}

describe("a fork of an agent with an open question", () => {
  it("goes on from before the decision, which asks anew; the old question is over", async () => {
    const { world, done, question } = await asking({}, {}, deploy("prod"));
    const at = (await world.kinds("1", "approval"))[0]!.seq;
    await (
      await world.legion.fork({ agent: "1", at })
    ).done;
    await world.until(
      (seen) => seen.kind === "live:state" && seen.state === "asking" && seen.reason !== question,
    );
    const fresh = world.agent("1").standing.reason;
    await answer(world, question, "approved");
    expect(world.legion.questions()).toMatchObject([{ id: fresh, isAnswered: false }]);
    expect(done).toEqual([]);
    await answer(world, fresh, "approved");
    await world.idle();
    expect(done).toEqual(["prod"]);
  });

  it("under another name asks for itself, and the answer to one is none to the other", async () => {
    const { world, done, modules, question } = await asking();
    const at = (await world.kinds("1", "approval"))[0]!.seq;
    await (
      await world.legion.fork({ agent: "1", at, as: "2" })
    ).done;
    const again = await world.restart({
      1: agent([], { modules }),
      2: agent([deploy("prod")], { modules }),
    });
    const copied = await questionOf(again, "2");
    expect(await questionOf(again, "1")).toBe(question);
    expect(await asked(again, "2")).toEqual([copied]);
    await answer(again, copied, "approved");
    await isDeployed(again, "2");
    expect(done).toEqual(["prod"]);
    expect(again.legion.questions()).toMatchObject([{ id: question }]);
    await answer(again, question, "approved");
    await again.idle();
    expect(done).toEqual(["prod", "prod"]);
  });
});

type Way = "moved" | "copied while it runs" | "under another name";

/** Takes agent 1 of `world`, which asks, into a new project. */
async function imported(world: World, way: Way): Promise<string> {
  const cwd = await temporaryFolder();
  const file = join(cwd, "1.legion");
  if (way !== "copied while it runs") await world.stop();
  expect((await legion(["export", "1", file], { cwd: world.project })).err).toBe("");
  const as = way === "under another name" ? ["--as", "1b"] : [];
  expect((await legion(["import", file, ...as], { cwd })).exitCode).toBe(0);
  return cwd;
}

describe("an import of an agent with an open question", () => {
  it.each<[Way, string]>([
    ["moved", "1"],
    ["copied while it runs", "1"],
    ["under another name", "1b"],
  ])("%s: it asks anew, and an answer given elsewhere is none", async (way, id) => {
    const { world, done, modules, question } = await asking();
    const project = await imported(world, way);
    const script = id === "1" ? [] : [deploy("prod")];
    const today = agent(script, { modules });
    const here = await openWorld(project, { [id]: today });
    const fresh = await questionOf(here, id);
    expect(fresh).not.toBe(question);
    expect((await asked(here, id)).at(-1)).toBe(fresh);
    expect(await refusal(project, `${id}.${question.split(".")[1]}`)).toContain(`open: ${fresh} (`);
    await answer(here, fresh, "approved");
    await here.idle();
    expect(done).toEqual(["prod"]);
    await here.stop();
    const { difference } = await replay(project, id, today);
    expect(difference && describeDifference(difference)).toBeUndefined();
    expect(done).toEqual(["prod"]);
  });

  it("that was answered there, and had not heard so: the answer counts for nothing here", async () => {
    const { world, done, modules, question } = await asking();
    await world.stop();
    const typed = await legion(["approve", question], { cwd: world.project });
    expect(typed.exitCode).toBe(0);
    const project = await imported(world, "moved");
    const here = await openWorld(project, { 1: agent([], { modules }) });
    const fresh = await questionOf(here);
    expect(fresh).not.toBe(question);
    expect(done).toEqual([]);
    await answer(here, fresh, "denied", "not from here");
    await here.idle();
    expect(done).toEqual([]);
  });

  it("takes no approval along that nothing came of: what it was for is asked here, before it is done again", async () => {
    let writes = 0;
    const write = defineAction({
      description: "Write the same",
      effects: "idempotent",
      execute: () => ok(`written ${++writes}`),
    });
    const modules = [core, defineModule({ name: "writing", actions: { write } })];
    const world = await createWorld({ 1: agent([{ calls: [{ action: "write" }] }], { modules }) });
    await world.say("1", "go");
    const question = await questionOf(world);
    // The process ends between the yes and what it was for.
    world.legion.inspector.watch((seen) => {
      if (seen.kind === "event" && seen.event.kind === "approval" && seen.event.verdict)
        world.legion.interrupt();
    });
    await answer(world, question, "approved").catch(() => undefined);
    await world.stop();
    expect((await world.kinds("1", "approval")).at(-1)).toMatchObject({ verdict: "approved" });
    const here = await openWorld(await imported(world, "moved"), { 1: agent([], { modules }) });
    await answer(here, await questionOf(here), "denied");
    await here.idle();
    expect(writes).toBe(0);
  });
});
