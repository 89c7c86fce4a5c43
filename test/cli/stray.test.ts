import { beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { createTempProject } from "../temp-project.ts";
import { buildProgram, runToEnd } from "./program.ts";

beforeAll(buildProgram, 120_000);

/** A project whose agent has a module of the user's own, with this body of its action `act`. */
function projectWith(body: string, script: string): Promise<string> {
  return createTempProject({
    "script.yaml": script,
    "agents/worker.md": "---\nmodules: [core, ./own.mjs]\n---\nWork.\n",
    "own.mjs": `
      import { defineAction, defineModule, ok } from "ai-legion";
      export default defineModule({
        name: "own",
        actions: {
          act: defineAction({ description: "Act", effects: "none", touches: [], async execute() { ${body} } }),
        },
      });`,
  });
}

const START = [
  "start",
  "--trust",
  "--agent",
  "worker",
  "--model",
  "scripted:script.yaml",
  "--tick",
  "0",
  "--json",
];

interface Seen {
  readonly kind: string;
  readonly state?: string;
  readonly reason?: string;
}

async function work(cwd: string): Promise<{ code: number | null; err: string; seen: (Seen & Event)[] }> {
  const { code, err, out } = await runToEnd([...START, "--task", "Go.", "--until-idle"], { cwd });
  const seen = out.trimEnd().split("\n");
  return { code, err, seen: seen.map((line) => JSON.parse(line) as Seen & Event) };
}

describe("what nobody waited for in a module of a user's own", () => {
  it.each([
    ["a promise", 'void Promise.reject(new Error("boom")); await new Promise(() => undefined);'],
    ["a timer", 'setTimeout(() => { throw new Error("boom"); }, 1); await new Promise(() => undefined);'],
    [
      "an event",
      'const { EventEmitter } = await import("node:events"); setImmediate(() => new EventEmitter().emit("error", new Error("boom"))); await new Promise(() => undefined);',
    ],
  ])("fails the call that began it, and not the node: %s", async (_, body) => {
    const cwd = await projectWith(body, "- calls: [{ action: act }]\n- calls: [{ action: noop }]\n");
    const { code, seen } = await work(cwd);
    expect(code).toBe(0);
    expect(seen.filter(({ kind }) => kind === "result")).toMatchObject([
      { outcome: "error", content: "boom (at own.mjs:6)" },
      { outcome: "idle" },
    ]);
  });

  it("starts its agent anew where the call is over, and not the node", async () => {
    // The second call ends when what the first one left behind has gone astray.
    const body = `
      globalThis.calls = (globalThis.calls ?? 0) + 1;
      if (globalThis.calls === 2) await globalThis.astray;
      else globalThis.astray = new Promise((resolve) => setTimeout(() => { resolve(); throw new Error("boom"); }, 50));
      return ok("done");`;
    const cwd = await projectWith(body, "- calls: [{ action: act }]\n- calls: [{ action: act }]\n");
    const { code, seen } = await work(cwd);
    expect(code).toBe(0);
    expect(seen.filter(({ kind }) => kind === "result")).toMatchObject([
      { content: "done" },
      { content: "done" },
      { outcome: "idle" },
    ]);
    expect(seen).toContainEqual(
      expect.objectContaining({ state: "retrying", reason: expect.stringMatching(/^boom \(again in/) }),
    );
  });
});
