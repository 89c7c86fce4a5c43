// Commands in the background through the life of a legion: real processes, real files; only the model is scripted.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { system } from "../../modules/system/index.ts";
import { createRedactor } from "../../src/base/redaction/redactor.ts";
import type { PolicyLayer } from "../../src/domain/policy/policy.ts";
import { isRunningAs, lasting } from "../environment/environment-contract.ts";
import { createWorld, type World, type WorldAgent } from "../world.ts";

interface WrittenCall {
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

const start = (command: string): WrittenCall => ({ action: "startCommand", parameters: { command } });
const read = (id: number): WrittenCall => ({ action: "readCommand", parameters: { id } });

const go: WrittenCall = { action: "writeFile", parameters: { path: "go", content: "" } };

/** Makes these calls, one a decision, and rests. */
const making = (...calls: readonly WrittenCall[]): WorldAgent => ({
  modules: [system],
  script: [...calls.map((call) => ({ calls: [call] })), "done"],
});

async function work(world: World): Promise<readonly string[]> {
  const before = (await world.kinds("1", "result")).length;
  await world.say("1", "Go on.");
  await world.idle();
  return (await world.kinds("1", "result")).slice(before).map(({ content }) => content);
}

describe("commands in the background and their legion", () => {
  it("end with it, and the agent is told at the next start, with what it had not read", async () => {
    const left = lasting();
    const world = await createWorld({ "1": making(start(`trap '' TERM; echo begun; ${left}; ${left}`)) });
    expect((await work(world))[0]).toContain("Command 1 runs");
    await expect.poll(() => isRunningAs(left)).toBe(true);
    await world.stop();
    expect(await isRunningAs(left)).toBe(false);
    const again = await world.restart({ "1": making(read(1), read(1)) });
    const [told, gone] = await work(again);
    expect(told).toBe(
      "Command 1 does not run any more: commands in the background end with the runtime that started them, and it was stopped. " +
        "New output:\nbegun",
    );
    expect(gone).toBe("You have no command 1 in the background. There are none.");
  });

  it("go on while the agent rests; one that ended by itself says at the next start how it did", async () => {
    const lines = "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 4";
    const world = await createWorld({ "1": making(start(lines), read(1), go) });
    await work(world);
    const folder = join(world.project, ".ai-legion/agents/1/background");
    // It has ended by itself, and nobody has read so.
    await expect.poll(async () => (await readdir(folder)).some((name) => name.endsWith(".end"))).toBe(true);
    const [kept] = await readdir(folder);
    const again = await world.restart({ "1": making(read(1), start("true")) });
    expect((await work(again))[0]).toMatch(/^Command 1 has ended: exit code 4\. New output:\n(one\n)?two$/);
    // What nobody knows any more is deleted.
    expect(await readdir(folder)).not.toContain(kept);
  });

  it("are judged by the rules for commands, and asked where those are", async () => {
    const policy = (layer: Partial<PolicyLayer>): readonly PolicyLayer[] => [
      { by: "the test", as: "person", profile: "workspace", ...layer },
    ];
    const denied = await createWorld({
      "1": { ...making(start("rm x")), policy: policy({ deny: ["run rm *"] }) },
    });
    expect((await work(denied))[0]).toContain("It may not be done: run rm * (the test) forbids it.");
    // Not in a sandbox: each is asked.
    const asking = await createWorld(
      { "1": { ...making(start("touch made; sleep 1000")), policy: policy({}) } },
      { questions: { mode: "deny", expireMs: 1_000 } },
    );
    expect((await work(asking))[0]).toContain("It would have to be asked");
    expect(await readdir(asking.project)).not.toContain("made");
    const allowed = await createWorld({
      "1": { ...making(start("sleep 1000")), policy: policy({ allow: ["run sleep *"] }) },
    });
    expect((await work(allowed))[0]).toContain("Command 1 runs");
  });

  it("keep no secret in what they printed", async () => {
    const redactor = createRedactor([{ name: "TOKEN", value: "correct-horse-battery" }]);
    const printing = "printf correct-; until [ -e go ]; do sleep 0.02; done; echo horse-battery; sleep 1000";
    const world = await createWorld({ "1": making(start(printing), go) }, { redactor });
    await work(world);
    const folder = join(world.project, ".ai-legion/agents/1/background");
    const kept = async () => readFile(join(folder, (await readdir(folder))[0]!), "utf8");
    await expect.poll(kept).toBe("[redacted:TOKEN]\n");
  });
});
