import { build } from "esbuild";
import { execFile } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { isLegionError, messageOf } from "../../src/base/errors.ts";
import { loadModules } from "../../src/config/module-loader.ts";
import { createTempProject } from "../temp-project.ts";

const REPO = fileURLToPath(new URL("../..", import.meta.url));
const NO_ACTIONS = `export const weather = { name: "weather", actions: {} };\n`;

async function refusal(
  references: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const projectDir = await createTempProject(files);
  const error: unknown = await loadModules(references, { projectDir }).catch((thrown: unknown) => thrown);
  expect(isLegionError(error, "CONFIG") || isLegionError(error, "USAGE"), messageOf(error)).toBe(true);
  return messageOf(error);
}

describe("loadModules", () => {
  it("imports our own modules by name, in the order asked for", async () => {
    const names = ["core", "system", "messaging", "goals", "notes"];
    const modules = await loadModules(names, { projectDir: "/nowhere" });
    expect(modules.map(({ name }) => name)).toEqual(names);
  });

  it("imports a module from a file of the project, whatever its export is called", async () => {
    const projectDir = await createTempProject({
      "named.mjs": NO_ACTIONS,
      "deep/default.mjs": `export default { name: "by-default", actions: {} };\nexport const other = { name: "x", actions: {} };`,
      "twice.mjs": `const m = { name: "twice", actions: {} };\nexport { m, m as again };\nexport const limit = 3;\nexport default () => m;`,
    });
    const modules = await loadModules(["./named.mjs", "./deep/default.mjs", "./twice.mjs"], { projectDir });
    expect(modules.map(({ name }) => name)).toEqual(["weather", "by-default", "twice"]);
  });

  it.each([
    [["gaols"], 'module "gaols": there is no such module; did you mean "goals"?'],
    [
      ["calendar"],
      'module "calendar": there is no such module; known: core, goals, notes, messaging, system, session, skills, web, memory, mcp, or the path of a file such as ./my-module.js',
    ],
    [
      ["constructor"],
      'module "constructor": there is no such module; known: core, goals, notes, messaging, system, session, skills, web, memory, mcp, or the path of a file such as ./my-module.js',
    ],
    [["./none.js"], 'module "./none.js": there is no such file in the project'],
    [["core", "core"], 'module "core": there is a module named "core" already'],
    [["./../outside.js"], '"./../outside.js" lies outside the project; use a path inside it'],
  ])("refuses %j", async (references, message) => {
    expect(await refusal(references)).toBe(message);
  });

  it.each([
    ["throws.mjs", `throw new Error("no\\nkey");`, "it could not be loaded: throws.mjs:1: no key"],
    ["typo.mjs", "export const = 1;", /^it could not be loaded: ./],
    ["empty.mjs", "export {};", "it exports no module; export what defineModule returns"],
    ["number.mjs", "export default 3;", "it exports no module; export what defineModule returns"],
    [
      "two.mjs",
      `${NO_ACTIONS} export const b = { name: "b", actions: {} };`,
      "it exports several modules; make one of them the default export",
    ],
    [
      "name.mjs",
      "export default { name: 'My Module', actions: {} };",
      "name: expected lower-case letters, digits and dashes",
    ],
    ["nameless.mjs", "export default { actions: {} };", '"name" is missing'],
    [
      "misspelt.mjs",
      "export default { name: 'x', pinedMessage: () => 'hi', actions: {} };",
      'unknown key "pinedMessage"; did you mean "pinnedMessage"?',
    ],
    [
      "misspelt-action.mjs",
      "export default { name: 'x', actions: { go: { descripton: 'Go' } } };",
      'actions.go: unknown key "descripton"; did you mean "description"?',
    ],
    [
      "pinned.mjs",
      "export default { name: 'x', pinnedMessage: 'hi', actions: {} };",
      "pinnedMessage: expected a function",
    ],
    [
      "escape.mjs",
      "export default { name: 'x', projection: { kind: 'file', name: '../../log' }, actions: {} };",
      "projection.name: expected a plain file name in lower case",
    ],
    ...["agent.json", "log", "mailbox", "blobs", "running.out", "background"].map(
      (name): [string, string, string] => [
        `${name}.mjs`,
        `export default { name: 'x', projection: { kind: 'file', name: '${name}' }, actions: {} };`,
        "projection.name: expected another name than agent.json, log, mailbox, blobs, running.out, background, undo",
      ],
    ),
    [
      "bare.mjs",
      "export default { name: 'x', actions: { go: {} } };",
      'actions.go: "description" is missing',
    ],
    [
      "schema.mjs",
      "export default { name: 'x', actions: { go: { description: 'Go', parameters: { where: 'text' }, effects: 'none', aliases: [], execute() {} } } };",
      "actions.go.parameters: expected what defineAction makes of zod schemas; use the z of ai-legion",
    ],
    [
      "action.mjs",
      "export default { name: 'x', actions: { 'go there': {} } };",
      "actions.go there: expected a name of letters and digits",
    ],
    ["notes.txt", "", "expected a file that ends in .js, .mjs or .ts"],
    ["data.json", "{}", "expected a file that ends in .js, .mjs or .ts"],
  ])("says what is wrong with %s", async (file, content, reason) => {
    const message = await refusal([`./${file}`], { [file]: content });
    const prefix = `module "./${file}": `;
    expect(message.slice(0, prefix.length)).toBe(prefix);
    if (typeof reason === "string") expect(message.slice(prefix.length)).toBe(reason);
    else expect(message.slice(prefix.length)).toMatch(reason);
  });

  it("imports TypeScript where Node runs it, and says so where it does not", async () => {
    const files = { "weather.ts": NO_ACTIONS };
    if ("typescript" in process.features && process.features.typescript) {
      const [module] = await loadModules(["./weather.ts"], { projectDir: await createTempProject(files) });
      expect(module?.name).toBe("weather");
    } else {
      expect(await refusal(["./weather.ts"], files)).toBe(
        'module "./weather.ts": TypeScript needs Node 22.18 or later; write it in JavaScript',
      );
    }
  });

  it("refuses a file whose module has the name of another", async () => {
    const files = { "goals.mjs": `export default { name: "goals", actions: {} };` };
    expect(await refusal(["goals", "./goals.mjs"], files)).toBe(
      'module "./goals.mjs": there is a module named "goals" already',
    );
  });
});

describe("a module of a user's own", () => {
  const MODULE = `
    import { defineModule, defineAction, ok, z } from "ai-legion";
    export const weather = defineModule({
      name: "weather",
      actions: {
        askSky: defineAction({
          description: "Look up",
          parameters: { place: z.string() },
          execute: ({ place }) => ok(\`Sunny in \${place}.\`),
        }),
      },
    });`;
  const PROGRAM = `
    import { loadModules } from "./src/config/module-loader.js";
    try {
      const [{ actions }] = await loadModules([process.argv[2]], { projectDir: process.argv[3] });
      console.log((await actions.askSky.execute({ place: "Bern" }, {})).content);
    } catch (error) {
      console.log(error.message);
    }`;

  /** The package as it is built, in a folder of its own, with an entry that has what modules need. */
  async function createPackage(): Promise<string> {
    const folder = await createTempProject({
      "package.json": `{ "name": "ai-legion", "type": "module" }`,
      "dist/program.js": PROGRAM,
      "entry/index.ts": `export * from ${JSON.stringify(join(REPO, "src/domain/authoring/module.ts"))};\nexport { z } from "zod";`,
    });
    await symlink(join(REPO, "node_modules"), join(folder, "node_modules"));
    await build({
      entryPoints: {
        index: join(folder, "entry/index.ts"),
        "config/module-loader": join(REPO, "src/config/module-loader.ts"),
      },
      chunkNames: "config/[hash]",
      outdir: join(folder, "dist/src"),
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      packages: "external",
      external: ["../modules/*"],
    });
    return folder;
  }

  async function runFrom(packageDir: string, reference: string, projectDir: string) {
    return promisify(execFile)(process.execPath, [
      join(packageDir, "dist/program.js"),
      reference,
      projectDir,
    ]);
  }

  it("imports ai-legion with nothing installed beside it", async () => {
    const projectDir = await createTempProject({ "weather.mjs": MODULE, "weather.js": MODULE });
    const packageDir = await createPackage();
    for (const file of ["./weather.mjs", "./weather.js"]) {
      expect(await runFrom(packageDir, file, projectDir)).toEqual({ stdout: "Sunny in Bern.\n", stderr: "" });
    }
  });

  const EVIL = `throw new Error("harm");`;
  it.each<[string, Readonly<Record<string, string>>]>([
    [
      "a package installed beside it",
      {
        "node_modules/ai-legion/package.json": `{ "type": "module", "exports": "./index.js" }`,
        "node_modules/ai-legion/index.js": EVIL,
      },
    ],
    [
      "the folder that it lies in",
      { "package.json": `{ "name": "ai-legion", "exports": "./evil.mjs" }`, "evil.mjs": EVIL },
    ],
    [
      "a folder between",
      { "deep/package.json": `{ "name": "ai-legion", "exports": "./evil.mjs" }`, "deep/evil.mjs": EVIL },
    ],
  ])("imports the one that runs, though %s is called ai-legion", async (_, files) => {
    const projectDir = await createTempProject({ "deep/weather.mjs": MODULE, ...files });
    expect(await runFrom(await createPackage(), "./deep/weather.mjs", projectDir)).toEqual({
      stdout: "Sunny in Bern.\n",
      stderr: "",
    });
  });

  it("gets no part of another package of the name, by import or require", async () => {
    const files = {
      "package.json": `{ "name": "ai-legion", "exports": { ".": "./evil.cjs", "./*": "./evil.cjs" } }`,
      "evil.cjs": EVIL,
      "part.mjs": `import "ai-legion/part";`,
      "required.cjs": `module.exports = Object.keys(require("ai-legion")).includes("defineModule");`,
      "required.mjs": `import isOurs from "./required.cjs"; throw new Error(\`ours: \${isOurs}\`);`,
      "required-part.cjs": `try { require("ai-legion/part"); } catch (error) { module.exports = error.message; }`,
      "required-part.mjs": `import said from "./required-part.cjs"; throw new Error(said);`,
    };
    const projectDir = await createTempProject(files);
    const packageDir = await createPackage();
    const said = async (reference: string) => (await runFrom(packageDir, reference, projectDir)).stdout;
    expect(await said("./part.mjs")).toMatch(/could not be loaded: (?!harm)/);
    expect(await said("./required.mjs")).toContain("could not be loaded: required.mjs:1: ours: true");
    expect(await said("./required-part.mjs")).toMatch(/could not be loaded: (?!harm)/);
  });

  it("finds no other package that is not installed", async () => {
    const projectDir = await createTempProject({ "weather.mjs": `import "ai-legion-extra";` });
    const { stdout } = await runFrom(await createPackage(), "./weather.mjs", projectDir);
    expect(stdout).toMatch(
      /^module ".\/weather.mjs": it could not be loaded: Cannot find package 'ai-legion-extra'/,
    );
  });
});
