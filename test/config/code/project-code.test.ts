import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeOf } from "../../../src/config/code/project-code.ts";
import { createTempProject } from "../../temp-project.ts";

type Files = Readonly<Record<string, string>>;

async function survey(files: Files) {
  const project = await createTempProject(files);
  const look = () => codeOf(project, [join(project, "a.mjs")]);
  const { hash } = await look();
  return {
    project,
    ...(await look()),
    /** Does another content of `path` count? */
    async changes(path: string, content = "changed"): Promise<boolean> {
      await mkdir(join(project, path, ".."), { recursive: true });
      await writeFile(join(project, path), content);
      return (await look()).hash !== hash;
    },
  };
}

describe("the code that a module brings along", () => {
  it("is its file and what that imports, with what that imports, each once, circles too", async () => {
    const { files, untold, changes } = await survey({
      "a.mjs": `import "./lib/b.js"; import x from "ai-legion"; import "node:fs"; import "path";`,
      "lib/b.js": `export * from "../lib/c.js"; import data from "./data.json" with { type: "json" };`,
      "lib/c.js": `import "./b.js"; await import("/nowhere.js");`,
      "lib/data.json": "{}",
      "other.js": "",
    });
    expect(files).toEqual(["a.mjs", "lib/b.js", "lib/c.js", "lib/data.json"]);
    expect(untold).toEqual([]);
    expect(await changes("other.js")).toBe(false);
    expect(await changes("lib/c.js")).toBe(true);
  });

  it.skipIf(process.platform === "win32")("is looked at without waiting for a pipe", async () => {
    const project = await createTempProject({
      "a.mjs": `import "dep"; import "./folder";`,
      "node_modules/dep/index.js": "",
      "folder/index.js": "",
    });
    for (const folder of ["node_modules/dep", "folder"])
      execFileSync("mkfifo", [join(project, folder, "package.json")]);
    const { files } = await codeOf(project, [join(project, "a.mjs")]);
    expect(files).toEqual(["a.mjs", "folder/index.js", "node_modules/dep/index.js"]);
  });

  it("is found as import reads a name, and as require does", async () => {
    const { files } = await survey({
      "a.mjs": `import "./b%20c.mjs?v=2#x"; import "./old.cjs";`,
      "b c.mjs": "",
      "old.cjs": `require("./plain"); require("./folder"); require("./main"); require("./odd#name.js"); require("..");`,
      "plain.js": "",
      "folder/index.js": "",
      "main/package.json": `{ "main": "./lib/entry" }`,
      "main/lib/entry.js": "",
      "odd#name.js": "",
    });
    expect(files).toEqual(
      [
        "a.mjs",
        "b c.mjs",
        "folder/index.js",
        "main/lib/entry.js",
        "main/package.json",
        "odd#name.js",
        "old.cjs",
        "plain.js",
      ].toSorted(),
    );
  });

  it("is a package as a whole, with those that it needs, wherever they are installed", async () => {
    const { files, changes } = await survey({
      "a.mjs": `import "@scope/one/part"; import "missing";`,
      "node_modules/@scope/one/package.json": `{ "dependencies": { "two": "1", "../../evil": "1" } }`,
      "node_modules/@scope/one/any/file.txt": "",
      "node_modules/@scope/one/node_modules/three/index.js": "",
      "node_modules/two/index.js": `import(anything)`,
      "node_modules/four/index.js": "",
    });
    expect(files).toEqual([
      "a.mjs",
      "node_modules/@scope/one/any/file.txt",
      "node_modules/@scope/one/node_modules/three/index.js",
      "node_modules/@scope/one/package.json",
      "node_modules/two/index.js",
    ]);
    expect(await changes("node_modules/two/new.js")).toBe(true);
  });

  it("is every package.json over it, as far as that has a say", async () => {
    const { files, changes } = await survey({
      "a.mjs": `import "./deep/down/b.js";`,
      "deep/down/b.js": "",
      "deep/package.json": `{ "type": "module", "version": "1" }`,
    });
    expect(files).toContain("deep/package.json");
    expect(await changes("deep/package.json", `{ "version": "2", "type": "module", "scripts": {} }`)).toBe(
      false,
    );
    expect(await changes("package.json", `{ "version": "2" }`)).toBe(true);
    expect(await changes("deep/package.json", `{ "type": "commonjs" }`)).toBe(true);
  });

  it.each([
    ["a computed import", "await import(name);", "a.mjs: import(...)"],
    ["a name that package.json maps", `import "#inner";`, `a.mjs: "#inner"`],
    ["its own package's name", `import "own/inner";`, `a.mjs: "own/inner"`],
    ["code in a URL", `import "data:text/javascript,0";`, `a.mjs: "data:text/javascript,0"`],
  ])("is all code of the project where %s leaves open what is loaded", async (_, text, untold) => {
    const found = await survey({
      "a.mjs": text,
      "package.json": `{ "name": "own" }`,
      "deep.v1/plugin.js": "",
      ".hidden/tool": "",
      "words.md": "",
      "node_modules/other/index.js": "",
      ".ai-legion/agents/1/log/x.json": "",
    });
    expect(found.files).toEqual([".hidden/tool", "a.mjs", "deep.v1/plugin.js", "package.json"]);
    expect(found.untold).toEqual([untold]);
    expect(await found.changes("deep.v1/new.cjs")).toBe(true);
  });

  it("is where links lead, and both ends of them are its places", async () => {
    const project = await createTempProject({
      "real/a.mjs": `import "./b.mjs";`,
      "real/b.mjs": "",
      "packages/shared/index.js": "",
    });
    await symlink("real/a.mjs", join(project, "link.mjs"));
    await mkdir(join(project, "real/node_modules"));
    await symlink("../../packages/shared", join(project, "real/node_modules/shared"));
    await writeFile(join(project, "real/b.mjs"), `import "shared";`);
    const { files, places } = await codeOf(project, [join(project, "link.mjs")]);
    expect(files).toEqual(["packages/shared/index.js", "real/a.mjs", "real/b.mjs"]);
    expect(places).toEqual([
      "link.mjs",
      "package.json",
      "packages/shared",
      "real/a.mjs",
      "real/b.mjs",
      "real/package.json",
    ]);
  });

  it("is what links within a package lead to, also in circles", async () => {
    const { project } = await survey({
      "a.mjs": `import "dep";`,
      "node_modules/dep/package.json": "{}",
      "shared/index.js": "",
      "shared/more/part.js": "",
      "shared/other.js": "",
      ".ai-legion/agents/1/log/x.jsonl": "",
    });
    const dep = join(project, "node_modules/dep");
    await symlink("../../shared/index.js", join(dep, "index.js"));
    await symlink("../../shared/more", join(dep, "more"));
    await symlink("../..", join(project, "shared/more/around"));
    await symlink("/nowhere", join(dep, "dangling"));
    const look = () => codeOf(project, [join(project, "a.mjs")]);
    const { files, hash } = await look();
    expect(files).toContain("shared/index.js");
    expect(files).toContain("shared/more/part.js");
    expect(files.filter((file) => file.startsWith(".ai-legion"))).toEqual([]);
    await writeFile(join(project, "shared/more/part.js"), "changed");
    expect((await look()).hash).not.toBe(hash);
  });

  it("has its places also where nothing is yet", async () => {
    const { places } = await survey({
      "a.mjs": `import "./x/late.mjs"; require("./lib")`,
      "lib/index.js": "",
    });
    expect(places).toEqual(
      expect.arrayContaining(["lib", "lib.js", "lib.json", "x/late.mjs", "package.json"]),
    );
  });
});
