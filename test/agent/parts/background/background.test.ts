import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBackground, type Background } from "../../../../src/agent/parts/background/background.ts";
import { createDisk } from "../../../../src/base/files/disk.ts";
import { NO_SECRETS } from "../../../../src/base/redaction/redactor.ts";
import { createLocalEnvironment } from "../../../../src/environment/local.ts";
import { isRunningAs, lasting } from "../../../environment/environment-contract.ts";
import { createTempProject } from "../../../temp-project.ts";

interface Opened {
  readonly background: Background;
  readonly lose: () => void;
}

async function createPlace() {
  const root = await createTempProject();
  const folder = join(root, "agents/1");
  const local = createLocalEnvironment(process.env);
  const mark = randomUUID();
  /** As a process after the one before would. */
  const open = (end = local.endLeft): Opened => {
    const losing = new AbortController();
    const background = createBackground({
      folder,
      disk: createDisk(join(root, "tmp")),
      redactor: NO_SECRETS,
      workspace: {
        root,
        home: ".ai-legion",
        execute: (command, options) => local.execute(command, { cwd: root, ...options }),
        endLeft: end,
      },
      mark: () => mark,
      lost: losing.signal,
    });
    onTestFinished(background.close);
    return { background, lose: () => losing.abort() };
  };
  return { open, files: join(folder, "background") };
}

describe("commands in the background of one agent", () => {
  it("end at once, without time to clean up, when the right to run it is lost", async () => {
    const { open } = await createPlace();
    const { background, lose } = open();
    const left = lasting();
    const deaf = `trap '' TERM; ${left}; ${left}`;
    await background.of("system").start(deaf, { known: [] });
    await expect.poll(() => isRunningAs(left)).toBe(true);
    const begun = performance.now();
    lose();
    await background.close();
    expect(performance.now() - begun).toBeLessThan(1_900);
    expect(await isRunningAs(left)).toBe(false);
  });

  it("that were left by a process before are ended, also where they have printed nothing", async () => {
    const { open } = await createPlace();
    const left = lasting();
    const name = await open().background.of("system").start(left, { known: [] });
    await expect.poll(() => isRunningAs(left)).toBe(true);
    const { background } = open();
    await background.endLeft();
    expect(await isRunningAs(left)).toBe(false);
    // Whoever started it saw how it ended; this is another process.
    expect((await open().background.of("system").read("system.00000000", 0)).end).toBe("lost");
    expect(name).toMatch(/^system\.[0-9a-f]{8}$/);
  });

  it("are looked for only where some were left", async () => {
    const { open } = await createPlace();
    const { background } = open(() => Promise.reject(new Error("nobody should ask")));
    await background.endLeft();
    const name = await background.of("system").start("exit 3", { known: [] });
    expect((await background.of("system").read(name, 0)).end).toMatchObject({ exitCode: 3 });
    await open(() => Promise.reject(new Error("nobody should ask"))).background.endLeft();
  });

  it("that cannot be ended now keep the agent waiting", async () => {
    const { open } = await createPlace();
    await open().background.of("system").start("sleep 1000", { known: [] });
    const { background } = open(() => Promise.reject(new Error("docker is not there")));
    await expect(background.endLeft()).rejects.toMatchObject({
      code: "STORAGE",
      message: "what its commands left running cannot be ended: docker is not there",
    });
  });

  it("are nothing once it is closed", async () => {
    const { open } = await createPlace();
    const { background } = open();
    await background.close();
    await expect(background.of("system").start("true", { known: [] })).rejects.toMatchObject({
      code: "REFUSED",
    });
  });

  it("of one module are no business of another's", async () => {
    const { open, files } = await createPlace();
    const { background } = open();
    const left = lasting();
    const name = await background.of("system").start(left, { known: [] });
    await expect.poll(() => isRunningAs(left)).toBe(true);
    await background.of("sys").start("exit 0", { known: [] });
    expect(await isRunningAs(left)).toBe(true);
    expect((await readdir(files)).some((file) => file.startsWith(name))).toBe(true);
  });

  it("and what else lies among their files is left alone", async () => {
    const { open, files } = await createPlace();
    await mkdir(files, { recursive: true });
    await writeFile(join(files, "system.note.txt"), "mine");
    const { background } = open();
    await background.endLeft();
    await background.of("system").start("exit 0", { known: [] });
    expect(await readFile(join(files, "system.note.txt"), "utf8")).toBe("mine");
  });
});
