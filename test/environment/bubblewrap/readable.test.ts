import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapIsThere, openChosen, placeIn } from "../opened.ts";

describe.runIf(bubblewrapIsThere)("folders that commands may read besides, such as those of skills", () => {
  let root: string;
  let workspace: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp("/var/tmp/legion-readable-"));
    workspace = join(root, "work");
    for (const folder of ["home/.claude/skills", "work/.ai-legion/skills", "work/.claude/skills"]) {
      await mkdir(join(root, folder, "one/scripts"), { recursive: true });
      await writeFile(join(root, folder, "one/scripts/hello.sh"), 'echo "hello from $0"');
      await writeFile(join(root, folder, "one/.env"), "KEY=of-the-skill");
    }
    await writeFile(join(workspace, ".ai-legion/secret"), "of the legion");
    await writeFile(join(root, "home/.claude/other"), "of the person");
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function run(command: string) {
    const readable = ["home/.claude/skills", "work/.ai-legion/skills", "work/.claude/skills"];
    const place = { ...placeIn(workspace), readable: readable.map((path) => join(root, path)) };
    const environment = await openChosen({ kind: "bubblewrap" }, place);
    const { signal } = new AbortController();
    const result = await environment.execute(command, { cwd: workspace, timeoutMs: 20_000, signal });
    await environment.close();
    return result;
  }

  describe.each(["home/.claude/skills", "work/.ai-legion/skills", "work/.claude/skills"])("%s", (folder) => {
    it("a script in it runs", async () => {
      const script = join(root, folder, "one/scripts/hello.sh");
      expect(await run(`sh ${script}`)).toEqual({ output: `hello from ${script}\n`, exitCode: 0 });
    });

    it.each([
      ["changes a file", (path: string) => `echo no > ${path}/one/scripts/hello.sh`],
      ["makes a file", (path: string) => `touch ${path}/two`],
      ["deletes a file", (path: string) => `rm ${path}/one/scripts/hello.sh`],
      ["moves it away", (path: string) => `mv ${path} ${path}-gone`],
      ["reads a key in it", (path: string) => `grep KEY ${path}/one/.env`],
    ])("a command that %s fails", async (_, command) => {
      expect((await run(command(join(root, folder)))).exitCode).not.toBe(0);
      expect(await readFile(join(root, folder, "one/scripts/hello.sh"), "utf8")).toContain("hello");
    });
  });

  it.each(["home/.claude/other", "work/.ai-legion/secret"])(
    "what lies beside stays hidden: %s",
    async (path) => {
      expect((await run(`cat ${join(root, path)}`)).output).not.toContain("of the");
    },
  );
});
