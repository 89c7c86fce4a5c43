import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyWorkspace, type CopyOrder } from "../../../src/environment/workspace/copy.ts";
import { everythingIn, write } from "./trees.ts";

let folder: string;
let source: string;
let target: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "legion-copy-")));
  source = join(folder, "source");
  target = join(folder, "out", "one");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const copy = (more: Partial<CopyOrder> = {}) =>
  copyWorkspace({ source, target, variables: process.env, ...more });

/** Gives all in `folder` times that a platform keeps exactly which keeps them as floating numbers. */
const settleTimes = (): void => {
  for (const path of Object.keys(everythingIn(source)))
    fs.lutimesSync(join(source, path), 1_700_000_000, 1_700_000_000);
};

describe("a copy of a folder", () => {
  it("has every file, link, mode and time, and the source is as it was to the last time of change (G3)", async () => {
    write(source, {
      "a.txt": "a",
      "deep/er/b.sh": "#!/bin/sh",
      "empty/.keep": "",
      "-n *\n'x'": "hostile name",
    });
    fs.chmodSync(join(source, "deep/er/b.sh"), 0o755);
    fs.writeFileSync(join(source, "large"), Buffer.alloc(3 * 1024 * 1024, "x"));
    fs.symlinkSync("a.txt", join(source, "near"));
    fs.symlinkSync("/etc/hostname", join(source, "far"));
    fs.symlinkSync("nowhere", join(source, "dangling"));
    fs.mkdirSync(join(source, "fixed"));
    fs.writeFileSync(join(source, "fixed/c"), "c", { mode: 0o400 });
    settleTimes();
    fs.utimesSync(join(source, "a.txt"), 1_000_000_000, 1_000_000_000);
    fs.chmodSync(join(source, "fixed"), 0o500);
    const before = everythingIn(source);
    const remarks = await copy();
    expect(everythingIn(source)).toEqual(before);
    expect(everythingIn(target)).toEqual(before);
    expect(remarks).toEqual([]);
    expect(fs.lstatSync(join(target, "far")).isSymbolicLink()).toBe(true);
    fs.chmodSync(join(source, "fixed"), 0o700);
  });

  it("has files whose names are no text", async () => {
    write(source, { "a.txt": "a" });
    const named = (place: string): Buffer =>
      Buffer.concat([Buffer.from(`${place}/`), Buffer.from([0xff, 0xfe])]);
    fs.writeFileSync(named(source), "b");
    await copy();
    expect(fs.readFileSync(named(target), "utf8")).toBe("b");
  });

  it("says what it leaves out: sockets, pipes, and what cannot be read", async () => {
    write(source, { "a.txt": "a" });
    spawnSync("mkfifo", [join(source, "pipe")]);
    const server = createServer().listen(join(source, "socket"));
    await once(server, "listening");
    const remarks = await copy();
    server.close();
    expect([...remarks].sort()).toEqual([
      "left out `pipe`: it is neither a file nor a folder",
      "left out `socket`: it is neither a file nor a folder",
    ]);
    expect(fs.readdirSync(target)).toEqual(["a.txt"]);
  });

  it("says the first of what it leaves out, and how much more there is", async () => {
    fs.mkdirSync(source);
    spawnSync(
      "mkfifo",
      Array.from({ length: 7 }, (_, n) => join(source, `pipe${n}`)),
    );
    const remarks = await copy();
    expect(remarks).toHaveLength(6);
    expect(remarks.at(-1)).toBe("and 2 more remarks");
  });

  it("keeps of .ai-legion what people wrote, and nothing of the legions that lived there", async () => {
    const state = [
      "agents/1/agent.json",
      "runs/r/lock/1",
      "lock/1",
      "workspaces/w/x",
      "homes/1/home/y",
      "workspace-id",
    ];
    write(source, Object.fromEntries(state.map((path) => [`.ai-legion/${path}`, "state"])));
    write(source, { ".ai-legion/config.yaml": "model: offline", "sub/.ai-legion/agents/1/log/1": "state" });
    await copy();
    expect(Object.keys(everythingIn(target))).toEqual([
      "/",
      ".ai-legion/",
      ".ai-legion/config.yaml",
      "sub/",
      "sub/.ai-legion/",
    ]);
  });

  it("may lie in its own source, beside other copies, and holds none of them", async () => {
    write(source, { "a.txt": "a", "out/tasks.jsonl": "" });
    const inside = join(source, "out/work/1");
    await copy({ target: inside, isLeft: (path) => Promise.resolve(path === join(source, "out")) });
    await copy({ target: join(source, "out/work/2") });
    expect(fs.readdirSync(inside)).toEqual(["a.txt"]);
    expect(Object.keys(everythingIn(join(source, "out/work/2")))).not.toContain("out/work/2/");
  });

  it("is left as somebody has worked in it when it is asked for again", async () => {
    write(source, { "a.txt": "a" });
    await copy();
    write(target, { "a.txt": "worked at" });
    write(source, { "b.txt": "b" });
    expect(await copy()).toEqual([]);
    expect(fs.existsSync(join(target, "b.txt"))).toBe(false);
    expect(fs.readFileSync(join(target, "a.txt"), "utf8")).toBe("worked at");
  });

  it("that was killed is made anew, and is not there under its name before (G4)", async () => {
    write(source, Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`${n % 30}/${n}`, String(n)])));
    const url = new URL("../../../src/environment/workspace/copy.ts", import.meta.url).href;
    const program = `
      import { copyWorkspace } from ${JSON.stringify(url)};
      const [source, target] = ${JSON.stringify([source, target])};
      let seen = 0;
      const isLeft = async () => ++seen === 1_000 && process.kill(process.pid, "SIGKILL");
      await copyWorkspace({ source, target, variables: process.env, isLeft });`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
      stdio: "ignore",
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    expect(fs.existsSync(target)).toBe(false);
    const partial = everythingIn(`${target}.partial`);
    expect(Object.keys(partial).length).toBeGreaterThan(300);
    settleTimes();
    const giveUp = new AbortController();
    let seen = 0;
    const isLeft = (): Promise<boolean> => {
      if (++seen === 1_000) giveUp.abort(new Error("enough"));
      return Promise.resolve(false);
    };
    const givenUp = copy({ signal: giveUp.signal, isLeft });
    await expect(givenUp).rejects.toThrow("enough");
    expect(fs.existsSync(target)).toBe(false);
    await copy();
    expect(everythingIn(target)).toEqual(everythingIn(source));
    expect(fs.existsSync(`${target}.partial`)).toBe(false);
  });

  it("is refused where there is nothing to copy, or something else in its place, and written nowhere", async () => {
    await expect(copy()).rejects.toThrow("is no folder that can be copied");
    write(source, { "a.txt": "a" });
    await expect(copy({ target: folder })).rejects.toThrow("is no folder that can be copied");
    write(folder, { "out/one": "a file" });
    await expect(copy()).rejects.toThrow("is no folder; move it away");
    fs.rmSync(target);
    fs.symlinkSync(source, target);
    await expect(copy()).rejects.toThrow("is no folder; move it away");
  });

  it("has no link that leads into the source: such a one leads to the same in the copy (G5)", async () => {
    write(source, { "a.txt": "a", "sub/b.txt": "b" });
    fs.symlinkSync(join(source, "a.txt"), join(source, "sub/absolute"));
    fs.symlinkSync("../source/a.txt", join(source, "around"));
    fs.symlinkSync(source, join(folder, "alias"));
    fs.symlinkSync(join(folder, "alias/a.txt"), join(source, "aliased"));
    const beside = join(folder, "copied");
    const remarks = await copy({ target: beside });
    for (const link of ["sub/absolute", "around", "aliased"]) {
      fs.writeFileSync(join(beside, link), "written through a link");
      expect(fs.readFileSync(join(source, "a.txt"), "utf8"), link).toBe("a");
    }
    expect(remarks).toHaveLength(3);
  });
});
