// src/ and modules/ -> dist/, with few files to load: the code lies in dist/lib/, where what a command always needs is together, with
// what it needs of packages. Beside it dist/ mirrors the sources by name, and each file there only says where its code is: a module is
// one, by whatever name it is imported.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { root } from "./repo.mjs";

/**
 * What is loaded together, from roots: they and all that they import and no earlier group holds. A root is a source, or a package.
 * What a command only sometimes needs is no root: it stays a file of its own.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const GROUPS = {
  program: ["src/cli/commands.ts", "src/cli/kit/dispatch.ts", "src/cli/kit/keys.ts", "src/base/package.ts"],
  look: [
    "src/cli/look/ps.ts",
    "src/cli/talk/send.ts",
    "src/base/redaction/redactor.ts",
    "src/config/load-config.ts",
    "src/config/hide-in-errors.ts",
    "src/storage/open.ts",
    "src/storage/files/backend.ts",
  ],
  talk: ["src/control/socket/legion-client.ts"],
  commander: ["commander"],
  yaml: ["yaml"],
  agents: [
    "src/library/open.ts",
    "src/domain/authoring/module-state.ts",
    "src/base/async-owner.ts",
    "src/environment/open.ts",
    "src/model/openai/openai.ts",
    "src/storage/files/batches.ts",
  ],
  modules: [
    "modules/core.ts",
    "modules/goals.ts",
    "modules/notes.ts",
    "modules/messaging.ts",
    "modules/system/index.ts",
    "modules/web/index.ts",
  ],
  start: ["src/cli/run/start/start.ts", "src/cli/run/start/host.ts", "src/cli/run/start/last-limits.ts"],
  server: ["src/control/serve-legion.ts", "hono", "hono/body-limit", "@hono/node-server"],
  pino: ["pino"],
  offline: ["src/model/offline/offline.ts"],
  openai: ["openai"],
  zod: ["zod"],
};
/** All of zod as one object, and its messages in fifty languages: for whoever imports the library. */
const WHOLE_ZOD =
  /[\\/]zod[\\/](?:index|v4[\\/](?:classic[\\/]external|core[\\/]index|locales[\\/]index))\.js$/;
const LANGUAGES = /[\\/]zod[\\/]v4[\\/]locales[\\/](?!en\.js)/;
/** Their code comes along; every other package is imported from where it is installed. */
const BUNDLED = ["@hono/node-server", "commander", "diff", "hono", "ignore", "openai", "pino", "yaml", "zod"];
const SOURCES = ["src", "modules"];
const COMMAND = join(root, "src/cli/index.ts");
const LIB = "lib";
const OUT = join(root, "dist");

/** From the root, with forward slashes. @param {string} path */
const placeOf = (path) => relative(root, path).replaceAll("\\", "/");
/** @param {string} id */
const isInPackage = (id) => /[\\/]node_modules[\\/]/.test(id);
/** @param {string} path such as `hono/body-limit` */
const packageOf = (path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;

/** @param {string} id @param {string | undefined} importer */
function isExternal(id, importer) {
  if (/^(?:\.|\/|[A-Za-z]:)/.test(id)) return false;
  if (id.startsWith("node:")) return true;
  return !(importer && isInPackage(importer)) && !BUNDLED.includes(packageOf(id));
}

/** A file that is found beside a source is found beside the file of its name, wherever the code is. */
const besideTheirNames = {
  name: "beside-their-names",
  /** @param {string} code @param {string} id */
  transform(code, id) {
    if (isInPackage(id) || !code.includes("import.meta.url")) return undefined;
    const place = placeOf(id).replace(/\.ts$/, ".js");
    return { code: code.replaceAll("import.meta.url", `new URL("dist:${place}", import.meta.url).href`) };
  },
  /** @param {string} code @param {{ fileName: string }} chunk */
  renderChunk(code, { fileName }) {
    const up = "../".repeat(fileName.split("/").length - 1);
    return code.includes('"dist:') ? code.replace(/"dist:([^"]*)"/g, `"${up}$1"`) : undefined;
  },
};

/** Node reads a file of ASCII alone in half the memory, and compiles it sooner; in texts, patterns and names an escape is the same. */
const inAscii = {
  name: "in-ascii",
  /** @param {unknown} _ @param {Record<string, { code?: string }>} files */
  generateBundle(_, files) {
    for (const file of Object.values(files))
      file.code = file.code?.replace(
        /[^\x00-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
  },
};

/** Every module that is in a group, with its name. @param {(id: string) => { importedIds: readonly string[] } | null} moduleOf */
function groupsOf(moduleOf) {
  /** @type {Map<string, string>} */
  const groups = new Map();
  for (const [name, roots] of Object.entries(GROUPS)) {
    const reached = new Set(
      roots.map((path) =>
        path.endsWith(".ts") ? join(root, path) : fileURLToPath(import.meta.resolve(path)),
      ),
    );
    for (const id of reached) {
      if (name !== "zod" && LANGUAGES.test(id)) continue;
      if (!groups.has(id) && (name === "zod" || !WHOLE_ZOD.test(id))) groups.set(id, name);
      for (const next of moduleOf(id)?.importedIds ?? []) reached.add(next);
    }
  }
  return groups;
}

/**
 * A file of its own. The program has its code where its name is: it waits for what it imports, which must not wait for it.
 * @param {string} id
 */
function aloneIn(id) {
  if (isInPackage(id)) return "packages";
  return id === COMMAND ? null : placeOf(id).replace(/\.ts$/, "");
}

/** The terms of every package whose code is among `ids`. @param {readonly string[]} ids */
function licences(ids) {
  const folders = ids.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [],
  );
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), "utf8").trim() : ""}\n`;
  });
  return `The files beside this one hold code of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** Is it there where the program is installed? @param {string} name */
function isAmongOurs(name) {
  const isOwn = /^(?:\.|node:)/.test(name) || name.endsWith(".js");
  return isOwn || builtinModules.includes(name) || Object.hasOwn(dependencies, packageOf(name));
}

/** @param {string} folder @returns {string[]} absolute paths */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const sources = SOURCES.flatMap((folder) =>
  filesBelow(join(root, folder)).filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts")),
);
const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(sources.map((path) => [placeOf(path).slice(0, -".ts".length), path])),
  platform: "node",
  external: isExternal,
  transform: { target: "es2023" },
  preserveEntrySignatures: "allow-extension",
  plugins: [besideTheirNames, inAscii],
  checks: { ineffectiveDynamicImport: false },
});
/** @type {Map<string, string> | undefined} */
let groups;
const { output } = await bundle.write({
  dir: OUT,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: `${LIB}/[name].js`,
  // Lines and names stay: a stack is to be read, and compiling takes as long.
  minifyInternalExports: false,
  comments: { legal: true, annotation: false, jsdoc: false },
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      {
        debugName: "together",
        name: (id, graph) =>
          (groups ??= groupsOf((next) => graph.getModuleInfo(next))).get(id) ?? aloneIn(id),
      },
    ],
  },
});
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
for (const chunk of output) {
  if (!("imports" in chunk)) continue;
  for (const name of [...chunk.imports, ...chunk.dynamicImports])
    if (!isAmongOurs(name)) throw new Error(`${chunk.fileName} imports ${name}, which nobody installs`);
}
const written = new Set(output.map(({ fileName }) => join(OUT, fileName)));
for (const path of filesBelow(join(OUT, LIB))) if (!written.has(path)) rmSync(path);
mkdirSync(join(OUT, LIB), { recursive: true });
writeFileSync(
  join(OUT, LIB, "LICENSES.txt"),
  licences(output.flatMap((chunk) => ("moduleIds" in chunk ? chunk.moduleIds : []))),
);
