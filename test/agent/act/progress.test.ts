import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { system } from "../../../modules/system/index.ts";
import { createProgress } from "../../../src/agent/act/progress.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { createRedactor, NO_SECRETS } from "../../../src/base/redaction/redactor.ts";
import { defineModule, fail, ok } from "../../../src/domain/authoring/module.ts";
import type { Inspection } from "../../../src/domain/inspection.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { NOOP, work, workshop } from "../../workshop.ts";
import { createWorld, type World, type WorldAgent, type WorldOptions } from "../../world.ts";

/** What watchers saw of calls, one line each, but for `noop`. */
function callsSeen({ seen }: World): readonly string[] {
  return seen.flatMap((one) => {
    if (one.kind === "live:call" && one.action !== "noop")
      return [`${one.phase} ${one.action}${one.phase === "ended" ? ` ${one.outcome}` : ""}`];
    return one.kind === "event" && one.event.kind === "result" && one.event.outcome !== "idle"
      ? [`committed ${one.event.outcome}`]
      : [];
  });
}

/** What calls told while they ran. */
function told(seen: readonly Inspection[]): string {
  return seen.map((one) => (one.kind === "live:progress" ? one.text : "")).join("");
}

async function run(agent: WorldAgent, options?: WorldOptions): Promise<World> {
  const world = await createWorld({ "1": agent }, options);
  await world.say("1", "go");
  await world.idle();
  return world;
}

const heard: string[] = [];
/** Tells something while it is only asked for its part of the prompt. */
const bystander = defineModule({
  name: "bystander",
  actions: {},
  pinnedMessage(host) {
    try {
      host.progress("?");
    } catch (error) {
      heard.splice(0, 1, messageOf(error));
    }
    return undefined;
  },
});

const command = (line: string): ScriptedAnswer => ({
  calls: [{ action: "executeCommand", parameters: { command: line } }],
});

describe("a call, as watchers see it", () => {
  it("is written, runs and ends before its result is committed, one after the other", async () => {
    const modules = workshop((step) => (step === "bad" ? fail("no") : ok("yes")));
    const world = await run({ script: [work("good", "bad"), NOOP], modules });
    expect(callsSeen(world)).toEqual([
      ...["written work", "written work"],
      ...["running work", "ended work ok", "committed ok"],
      ...["running work", "ended work error", "committed error"],
    ]);
  });

  it("is written once where it is written as text, under the id that the log has", async () => {
    const modules = workshop(() => ok("yes"));
    const world = await run({ script: ["work\nstep: one", "noop"], modules, protocol: "text" });
    const ids = world.seen.flatMap((one) =>
      one.kind === "live:call" && one.action === "work" ? [one.call] : [],
    );
    const [decision] = await world.kinds("1", "decision");
    expect(ids).toEqual(Array(3).fill(decision!.calls[0]!.id));
  });

  it("ends without having run where it is refused", async () => {
    const modules = workshop(() => ok("yes"));
    const world = await run({ script: [{ calls: [{ action: "wrok" }] }, NOOP], modules });
    expect(callsSeen(world)).toEqual(["written wrok", "ended wrok error", "committed error"]);
  });

  it("says what it touches, from its beginning on", async () => {
    const { seen } = await run({ script: [command("true"), NOOP], modules: [core, system] });
    const touched = seen.flatMap((one) =>
      one.kind === "live:call" && one.phase !== "written" && one.action !== "noop" ? [one.touches] : [],
    );
    expect(touched).toEqual(Array(2).fill([{ kind: "run", command: "true" }]));
  });
});

describe("what a call tells while it runs", () => {
  it("is what its command prints, before the command ends", async () => {
    const world = await createWorld({
      "1": {
        script: [command("echo begun; cat wait || sleep 30; echo over"), NOOP],
        modules: [core, system],
      },
    });
    await world.say("1", "go");
    await world.until((one) => one.kind === "live:progress" && one.text.includes("begun"));
    expect(callsSeen(world).at(-1)).toBe("running executeCommand");
    world.legion.interrupt();
    await world.stop();
  });

  it("goes on to come of a command that it left in the background", async () => {
    const line = "while [ ! -e go ]; do sleep 0.05; done; echo here; sleep 30";
    const script = [{ calls: [{ action: "startCommand", parameters: { command: line } }] }, NOOP];
    const world = await createWorld({ "1": { script, modules: [core, system] } });
    await world.say("1", "go");
    await world.until((one) => one.kind === "live:call" && one.phase === "ended");
    const [started] = world.seen.flatMap((one) => (one.kind === "live:call" ? [one.call] : []));
    await writeFile(join(world.project, "go"), "");
    await world.until(
      (one) => one.kind === "live:progress" && one.call === started && one.text.includes("here"),
    );
    await world.stop();
  });

  it("is what its action says", async () => {
    const modules = workshop((step, host) => {
      host.progress(`at ${step}\n`);
      return ok("done");
    });
    expect(told((await run({ script: [work("one"), NOOP], modules })).seen)).toBe("at one\n");
  });

  it("holds no secret, however it comes", async () => {
    const key = "sk-verysecretvalue-123456";
    const redactor = createRedactor([{ name: "KEY", value: key }]);
    const modules = workshop(async (_, host) => {
      for (const part of ["a ", key.slice(0, 7), key.slice(7), " b "]) host.progress(part);
      await host.workspace.execute(`printf '%s' sk-very; sleep 0.2; printf '%s\\n' secretvalue-123456`, {
        timeoutMs: 10_000,
        signal: host.signal,
        onOutput: host.progress,
      });
      return ok("done");
    });
    const { seen } = await run({ script: [work("one"), NOOP], modules }, { redactor });
    expect(told(seen)).toBe("a [redacted:KEY] b [redacted:KEY]\n");
  });

  it("may not be told while no action runs", async () => {
    const world = await createWorld({
      "1": { script: [work("one"), NOOP], modules: [...workshop(() => ok("")), bystander] },
    });
    await world.say("1", "go");
    await world.idle();
    expect(heard).toEqual(["Only a running action may do this."]);
  });

  it("is a screenful a few times a second, and its newest, of a command that prints for ever", async () => {
    const shown: string[] = [];
    let wake = (): void => undefined;
    const progress = createProgress(
      {
        redactor: NO_SECRETS,
        presence: { progress: (_: string, text: string) => void shown.push(text) },
        shared: { clock: { sleep: () => new Promise<void>((resolve) => (wake = resolve)) } },
      },
      { id: "c" },
    );
    for (let n = 0; n < 10_000; n++) progress.tell(`line ${n}\n`);
    expect(shown).toEqual(["line 0\n"]);
    wake();
    await Promise.resolve();
    expect(shown).toHaveLength(2);
    expect(shown[1]).toMatch(/^….{0,9}\n[^]*line 9999\n$/);
    expect(shown[1]!.length).toBeLessThan(4_100);
    progress.tell("the end");
    progress.settle();
    expect(shown.at(-1)).toBe("the end");
  });

  it("ends with the listener that throws, and the command goes on", async () => {
    let calls = 0;
    const modules = workshop(async (_, host) => {
      const { output } = await host.workspace.execute("echo one; sleep 0.2; echo two", {
        timeoutMs: 10_000,
        signal: host.signal,
        onOutput() {
          calls++;
          throw new Error("not mine");
        },
      });
      return ok(output);
    });
    const world = await run({ script: [work("one"), NOOP], modules });
    expect((await world.kinds("1", "result"))[0]).toMatchObject({ outcome: "ok", content: "one\ntwo\n" });
    expect(calls).toBe(1);
  });
});
