import { cpSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createWorld, openWorld, temporaryFolder, type World } from "../../world.ts";

/** Marks something, and never ends. */
const marking = defineModule({
  name: "marking",
  actions: {
    mark: defineAction({
      description: "Mark it",
      parameters: {},
      effects: "idempotent",
      execute: () => new Promise<ReturnType<typeof ok>>(() => undefined),
    }),
  },
});
const NOT_RUN = "idle: Not run: new instructions came first.";
const calls = [{ action: "mark" }, { action: "mark" }];
const agents = { 1: { script: [{ calls }, { calls: [{ action: "noop" }] }], modules: [core, marking] } };

/** What a process leaves that is killed while the first call runs. */
async function killedAt(world: World): Promise<string> {
  const left = join(await temporaryFolder(), "left");
  cpSync(world.project, left, { recursive: true });
  const lock = join(left, ".ai-legion/lock/1");
  await writeFile(lock, JSON.stringify({ ...JSON.parse(await readFile(lock, "utf8")), released: true }));
  return left;
}

it("does not say of a call that may have run that it did not, where a steer comes as it is begun again (A2)", async () => {
  const world = await createWorld(agents);
  await world.say("1", "Mark it.");
  await world.until((seen) => seen.kind === "live:call" && seen.phase === "running");
  const left = await killedAt(world);
  let isSaid = false;
  const next: World = await openWorld(
    left,
    { 1: { ...agents[1], script: [{ calls: [{ action: "noop" }] }] } },
    {
      async gate() {
        if (!isSaid) await next.legion.control.say(["1"], "Leave it.", "steer");
        isSaid = true;
        return "allow" as const;
      },
    },
  );
  await next.idle();
  const results = (await next.kinds("1", "result")).map(({ outcome, content }) => `${outcome}: ${content}`);
  expect(results.slice(0, 2)).toEqual([
    expect.stringMatching(/^interrupted: .* Its outcome is unknown/),
    "idle: Skipped: new instructions arrived.",
  ]);
});

it("says of a call about which it asks now that it was not run, where a steer comes instead of an answer (A2)", async () => {
  const asking = (script: readonly ScriptedAnswer[]) => ({
    1: { script, modules: [core, marking], policy: [] },
  });
  let goOn = (): void => undefined;
  const gate = () => new Promise<"allow">((resolve) => (goOn = () => resolve("allow")));
  const world = await createWorld(asking([{ calls }]), { gate });
  await world.say("1", "Mark it.");
  await world.until((seen) => seen.kind === "event" && seen.event.kind === "decision");
  const left = await killedAt(world);
  goOn();
  const next = await openWorld(left, asking([{ calls: [{ action: "noop" }] }]));
  await next.until((seen) => seen.kind === "live:state" && seen.state === "asking");
  await next.legion.control.say(["1"], "Leave it.", "steer");
  await next.idle();
  const results = (await next.kinds("1", "result")).map(({ outcome, content }) => `${outcome}: ${content}`);
  expect(results.slice(0, 2)).toEqual([NOT_RUN, NOT_RUN]);
});
