import { randomUUID } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { archiveOf, eventsOf, restingLegion } from "../storage/archive/archived.ts";
import { openNode } from "../storage/redis/redis-world.ts";
import { redisIsThere, startCluster, startRedis, type Server } from "../storage/redis/servers.ts";
import { createTempProject } from "../temp-project.ts";
import { legion } from "./legion.ts";

describe.skipIf(!redisIsThere)("export and import over Redis", () => {
  let server: Server;
  let name: string;
  let cwd: string;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());
  beforeEach(async () => {
    name = `legion-${randomUUID()}`;
    cwd = await createTempProject();
  });

  const there = () => ["--bus", server.url, "--name", name];
  const typed = (...argv: string[]) => legion([...argv, ...there()], { cwd });
  async function printed(...argv: string[]): Promise<string> {
    const { exitCode, out, err } = await typed(...argv);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    return out;
  }

  it("move an agent from files to Redis and back, and say what that means", async () => {
    const { project } = await restingLegion();
    const file = await archiveOf(project, ["2"]);
    expect(await printed("import", file)).toMatch(
      /^Agent 2: \d+ events, 0 unread messages\nmoved here; do not start what it was made from any more\n$/,
    );
    expect(await printed("goals", "2")).toBe("1 [ ] Plan\n");
    expect(await printed("notes", "2", "a/b")).toBe("Text\n");
    const again = await typed("import", file);
    expect(again.exitCode).toBe(1);
    expect(again.err).toMatch(
      /^legion: already in the legion \S+ at redis:\S+: Agent 2; `--as <id>` takes it in under another name\n$/,
    );
    const named = await typed("import", file, "--as", "twin", "--json");
    expect(named.json).toMatchObject([{ agents: ["twin"], unread: 0, live: false }]);
    expect(await printed("ps")).toMatch(/^2 .*\n(.*\n)*?twin /m);
    expect(await readdir(cwd)).toEqual([]);

    expect(await printed("export", "2")).toMatch(/^wrote 2\.legion: Agent 2, \d+ events\n$/);
    const back = await createTempProject();
    await legion(["import", join(cwd, "2.legion")], { cwd: back });
    expect(await eventsOf(back, "2")).toEqual(await eventsOf(project, "2"));
    expect((await legion(["goals", "2"], { cwd: back })).out).toBe("1 [ ] Plan\n");
  });

  it("copy a whole legion while a node runs it, you included, into a Cluster", async () => {
    const cluster = await startCluster();
    onTestFinished(cluster.stop);
    const node = await openNode(server.url, name, { "1": {}, "2": {} });
    await node.say("all", "Work");
    await node.idle();
    const { json } = await typed("export", "--all", "team.legion", "--json");
    expect(json).toMatchObject([{ agents: ["0", "1", "2"], unread: 0 }]);
    await node.stop();

    const bus = ["--bus", cluster.url, "--name", "copy"];
    const { out, err } = await legion(["import", "team.legion", ...bus], { cwd });
    expect(err).toBe("");
    expect(out).toMatch(/^Control, Agent 1 and Agent 2: \d+ events, 0 unread messages\ncopied while running/);
    expect((await legion(["ps", "--json", ...bus], { cwd })).json).toMatchObject([
      { id: "1", steps: 1 },
      { id: "2", steps: 1 },
    ]);
    const copy = await openNode(cluster.url, "copy", { "1": {}, "2": {} });
    expect(await copy.say("2", "Go on")).toEqual(["0>2#1"]);
    await copy.idle();
    const said = (await copy.kinds("2", "message")).map(({ message }) => message.content);
    expect(said).toEqual(["Work", "Go on"]);
    expect(await copy.kinds("2", "notice")).toMatchObject([{ reason: "gap" }]);
  });

  it("take in an agent of the original once the person says that it counts", async () => {
    cwd = await createTempProject({
      "old/memory": JSON.stringify([{ type: "decision", decision: { actionText: "noop" } }, "what?"]),
      "old/goals": '[{ "text": "Read", "complete": false }]',
      "old/notes/a%2fb": "Text",
    });
    expect(await typed("import", "old")).toMatchObject({
      exitCode: 2,
      err: "legion: old was not written on your machines; --trust takes it on all the same\n",
    });
    expect((await typed("ps", "--json")).json).toEqual([]);
    const { exitCode, out, err } = await typed("import", "old", "--trust");
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: "old has the past of old: 2 events, 1 goal, 1 note, as history\n",
    });
    expect(err).toMatch(
      /1 not understood \(1 of no type\); kept in \.ai-legion\/corrupt\/old-import\.json\n$/,
    );
    expect(await printed("log", "old", "--json")).toContain('"kind":"branch"');
    expect(await printed("notes", "old", "a/b")).toBe("Text\n");
    expect(await printed("prompt", "old")).toContain('1) "Read" [PENDING]');
  });

  it("say where nobody is, and write nothing", async () => {
    for (const argv of [["2"], ["--all", "team.legion"]]) {
      const { exitCode, err } = await typed("export", ...argv);
      expect(exitCode).toBe(2);
      expect(err).toMatch(/^legion: there .*; --name <name> means another legion there\n$/);
    }
    expect(await readdir(cwd)).toEqual([]);
  });

  it("take nothing of a file that is none of ours, or cut off", async () => {
    const { project } = await restingLegion();
    const { out } = await legion(["export", "2", "-"], { cwd: project });
    await writeFile(join(cwd, "cut.legion"), out.slice(0, -30));
    await writeFile(join(cwd, "text.txt"), "Hello");
    expect(await typed("import", "cut.legion")).toMatchObject({ exitCode: 1, out: "" });
    expect(await typed("import", "text.txt")).toMatchObject({ exitCode: 2, out: "" });
    expect((await typed("ps", "--json")).json).toEqual([]);
  });
});
