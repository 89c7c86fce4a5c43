import { lstat } from "node:fs/promises";
import { expect, it } from "vitest";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { createTempProject } from "../temp-project.ts";
import { type } from "./terminals.ts";

const MINUTES_MS = 120_000;

it(
  "lets one terminal talk to the legion of another, watch it and end it",
  async () => {
    const project = await createTempProject();
    const dir = ["--dir", project];
    const printed = async (...argv: string[]) => (await type(...argv, ...dir).ended).out;
    const node = type("start", "3", "--model", "offline", "--tick", "0", ...dir);
    await node.until("3 agents on offline");

    const following = type("log", "2", "-f", ...dir);
    const sent = await type("send", "2", "goal write it down then note plan: first this", "--wait", ...dir)
      .ended;
    expect(sent).toMatchObject({ exitCode: 0, err: "" });
    expect(sent.out).toMatch(/^0>2#1\n\S/);
    await following.until('ok: Note "plan" has been written');

    expect(await printed("goals", "2")).toBe("1 [ ] write it down\n");
    expect(await printed("notes", "2", "plan")).toBe("first this\n");
    expect(await printed("inbox")).toContain("Agent 2  (2>0#1)");
    const rows = (await printed("ps", "--json")).trim().split("\n");
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      { id: "1", state: "idle", steps: 0 },
      { id: "2", state: "idle", waitingFor: "mail", node: expect.stringMatching(`^${node.pid}@`) },
      { id: "3" },
    ]);

    const second = await type("start", ...dir).ended;
    expect(second).toMatchObject({ exitCode: 1, err: expect.stringContaining(`process ${node.pid}`) });

    expect(await printed("stop")).toBe(`Node ${node.pid} has ended.\n`);
    expect((await node.ended).exitCode).toBe(0);
    await expect(lstat(legionPaths(project).socket)).rejects.toThrow("ENOENT");

    expect(await printed("goals", "2")).toBe("1 [ ] write it down\n");
    expect(await printed("inbox")).toContain("Agent 2  (2>0#1)");
    expect(await printed("ps")).toContain("No node runs");
    following.kill("SIGINT");
    await following.ended;
  },
  MINUTES_MS,
);

it(
  "loses no mail to a node that is killed, and reaches the next one",
  async () => {
    const project = await createTempProject();
    const dir = ["--dir", project];
    const first = type("start", "2", "--model", "offline", ...dir);
    await first.until("2 agents on offline");
    const following = type("inbox", "-f", ...dir);
    await type("send", "2", "help", ...dir).ended;
    await following.until("(2>0#1)");
    first.kill("SIGKILL");
    await first.ended;
    expect((await lstat(legionPaths(project).socket)).isSocket()).toBe(true);

    const sent = await type("send", "all", "note kept: yes", ...dir).ended;
    expect(sent).toEqual({ exitCode: 0, out: "0>1#1\n0>2#2\n", err: "" });
    const paused = await type("pause", "1", ...dir).ended;
    expect(paused.out).toBe("Agent 1: paused until `legion resume 1`.\n");

    const next = type("start", "2", "--model", "offline", "--tick", "0", ...dir);
    await next.until("2 agents on offline");
    await following.until("(2>0#2)");
    const notes = await type("notes", "2", "kept", ...dir).ended;
    expect(notes.out).toBe("yes\n");
    const waiting = await type("ps", "--json", ...dir).ended;
    expect(JSON.parse(waiting.out.split("\n")[0]!)).toMatchObject({ id: "1", state: "paused", unread: 1 });

    await type("resume", "1", ...dir).ended;
    await following.until("(1>0#1)");
    next.kill("SIGTERM");
    expect((await next.ended).exitCode).toBe(0);
    following.kill("SIGINT");
    await following.ended;
  },
  MINUTES_MS,
);
