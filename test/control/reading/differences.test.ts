import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createReplaying } from "../../../src/control/reading/replaying.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import type { Reader } from "../../../src/storage/contract/reader.ts";
import { NOOP } from "../../workshop.ts";
import { createWorld, type World } from "../../world.ts";
import { openPage } from "../web/kit.ts";

/** Agent 1, and 1b, to whom the message said something else. */
async function forked(): Promise<{ readonly world: World; readonly at: number }> {
  const world = await createWorld({ "1": { script: [NOOP, NOOP, NOOP] } });
  await world.say("1", "The plan is a");
  await world.idle();
  const [, ...rest] = await world.kinds("1", "message");
  expect(rest).toEqual([]);
  await world.say("1", "Now do it");
  await world.idle();
  const at = (await world.kinds("1", "message"))[1]!.seq;
  await (
    await world.legion.fork({ agent: "1", at, as: "1b", content: "Leave it" })
  ).done;
  return { world, at };
}

describe("the differences between two pasts", () => {
  it("of an agent and its fork begin where the fork was given other words", async () => {
    const { world, at } = await forked();
    const { ask } = await openPage(world.project);
    const { status, json } = await ask("/v1/differences?one=1&other=1b");
    expect(status).toBe(200);
    expect(json).toMatchObject({
      unlike: { part: "message: content", one: "Now do it", other: "Leave it" },
      one: { name: "Agent 1", parts: { seq: at }, lost: 0 },
      other: { name: "1b", parts: { seq: at }, lost: 0 },
    });
    const before = (await ask(`/v1/differences?one=1&oneAt=${at - 1}&other=1b`)).json;
    expect(before).toMatchObject({ unlike: null, one: { parts: null }, other: { parts: { seq: at } } });
  });

  it("name what there is where something is not", async () => {
    const { world } = await forked();
    const { ask } = await openPage(world.project);
    const why = async (query: string): Promise<unknown> => {
      const { status, json } = await ask(`/v1/differences?${query}`);
      return [status, (json["error"] as { message: string }).message];
    };
    expect(await why("one=7&other=1")).toEqual([400, "there is no agent `7`; known: 1, 1b"]);
    expect(await why("one=1&other=1b&otherAt=999")).toEqual([
      400,
      expect.stringContaining("there is no event 999"),
    ]);
    expect(await why("one=1&other=1&run=x")).toEqual([
      400,
      "there is no run or session `x` here; there is none yet",
    ]);
    expect(await why("one=1&other=1&run=../..")).toEqual([400, expect.stringContaining("there is no run")]);
    expect(await why("one=1")).toEqual([400, expect.stringContaining("other")]);
  });

  it("of runs are those of their agents; runs are told newest first, and a damaged log where it is damaged", async () => {
    const { world } = await forked();
    await world.stop();
    const runs = join(world.project, ".ai-legion/runs");
    for (const run of ["first", "second"])
      await cp(join(world.project, ".ai-legion/agents/1"), join(runs, run, "agents/1"), { recursive: true });
    const { ask } = await openPage(world.project);
    const { runs: told } = (await ask("/v1/runs")).json as { runs: { name: string; agents: string[] }[] };
    expect(told.map(({ agents }) => agents)).toEqual([["1"], ["1"]]);
    expect(new Set(told.map(({ name }) => name))).toEqual(new Set(["first", "second"]));
    const both = (await ask("/v1/differences?one=1&other=1&oneRun=first&run=second")).json;
    expect(both).toMatchObject({ unlike: null, one: { parts: null }, other: { parts: null } });
    const log = join(runs, "second/agents/1/log");
    const [segment = ""] = (await readdir(log)).sort();
    const text = await readFile(join(log, segment), "utf8");
    await writeFile(join(log, segment), text.replace("Now do it", "Now do that"));
    const { json } = await ask("/v1/differences?one=1&other=1&run=second");
    expect(json).toMatchObject({ unlike: { part: "what happens" }, one: { lost: 0 }, other: { lost: 1 } });
  });
});

describe("a replay", () => {
  it("is refused where agents are not opened, and for an agent that is not there", async () => {
    const { world } = await forked();
    const { ask } = await openPage(world.project);
    expect(await ask("/v1/agents/7/replay")).toMatchObject({ status: 400 });
    const { status, json } = await ask("/v1/agents/1/replay");
    expect([status, json["error"]]).toEqual([
      409,
      { code: "REFUSED", message: "here nobody can; `legion replay 1` does" },
    ]);
  });

  it("is one at a time, and ends when nobody waits for it any more", async () => {
    const { world } = await forked();
    const kept = createFileReader(world.project);
    let isAsked = (): void => undefined;
    let goOn = (): void => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const admitted = new Promise<void>((resolve) => (goOn = resolve));
    const reader: Reader = {
      ...kept,
      async record(agent) {
        isAsked();
        await admitted;
        return { ...(await kept.record(agent)), definition: "legionnaire" };
      },
    };
    const admit = (): Promise<void> => Promise.resolve();
    const replaying = createReplaying(
      { project: world.project, reader },
      { env: {}, secrets: () => [], admit },
    );
    const leaving = new AbortController();
    const first = replaying({ agent: "1", signal: leaving.signal });
    void first.catch(() => undefined);
    await asked;
    await expect(replaying({ agent: "1", signal: leaving.signal })).rejects.toMatchObject({
      code: "REFUSED",
    });
    leaving.abort();
    goOn();
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    await expect(
      replaying({ agent: "1", to: 999, signal: new AbortController().signal }),
    ).rejects.toMatchObject({
      message: expect.stringContaining("there is no event 999") as string,
    });
  });
});
