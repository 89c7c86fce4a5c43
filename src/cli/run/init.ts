import { constants } from "node:fs";
import { appendFile, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { LegionError, isLegionError, messageOf } from "../../base/errors.ts";
import { packageDir } from "../../base/package.ts";
import { checkHome } from "../../storage/folder/home.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { grant } from "../../storage/folder/person/trust.ts";
import { findInProject, readTextFile } from "../../base/files/project-file.ts";
import type { CliCommand, Io } from "../kit/command.ts";
import { print } from "../kit/output.ts";
import { addDirOption } from "../kit/target.ts";

/** Copied from the folder `starter/` of the package. */
const COPIED = [".ai-legion/config.yaml", "agents/clerk.md", "my-module.mjs"];
/** Beside config.yaml, and in git like it: right on every machine, whether the package is installed there or not. */
const SCHEMA = ".ai-legion/config.schema.json";
const IGNORE_FILE = ".gitignore";
const IGNORED = ["/.ai-legion/*", "!/.ai-legion/config.yaml", `!/${SCHEMA}`, "!/.ai-legion/prompts", ".env"];
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

export const command: CliCommand = {
  define: (parser) => void addDirOption(parser.argument("[folder]", "where; it is made if it is not there")),
  async run({ args: [folder], options }, io) {
    const { dir } = options;
    if (folder !== undefined && dir !== undefined) throw new LegionError("USAGE", "name the folder once");
    const meant = folder ?? dir ?? ".";
    const place = resolve(io.cwd, meant);
    const made: string[] = [];
    const kept: string[] = [];
    try {
      await mkdir(place, { recursive: true });
      const project = await realpath(place);
      await checkHome(legionPaths(project), openPersonFolder(io.env));
      const paths = [SCHEMA, ...COPIED];
      for (const path of paths) await findInProject(project, dirname(path));
      const ignored = (await findInProject(project, IGNORE_FILE)) ?? join(project, IGNORE_FILE);
      for (const path of paths)
        ((await create(join(project, path), await contentOf(path))) ? made : kept).push(path);
      if (await ignore(ignored)) made.push(IGNORE_FILE);
      await grantOwn(project, made, io);
    } catch (error) {
      if (isLegionError(error)) throw error;
      throw new LegionError("STORAGE", `the starter project could not be written: ${messageOf(error)}`, {
        cause: error,
      });
    }
    for (const path of made) print(io, `wrote  ${path}`);
    for (const path of kept) print(io, `kept   ${path}, which was there`);
    print(io, nextSteps(meant));
    return 0;
  },
};

/** What was written here just now needs no further word of the person. */
async function grantOwn(project: string, made: readonly string[], { env }: Io): Promise<void> {
  const { loadConfigAnyway } = await import("../../config/load-config.ts");
  const { grantsIn } = await import("../../config/grants/project-grants.ts");
  const { codeGrants } = await import("../../config/grants/code.ts");
  const { config } = await loadConfigAnyway({ projectDir: project, env, flags: {} });
  const { modules, grants } = await grantsIn(config, { projectDir: project, packageDir });
  const code = await codeGrants(project, modules);
  const own = [
    ...code.filter(({ files }) => files.every((file) => made.includes(file))),
    ...grants.filter(({ by }) => made.includes(by)),
  ];
  if (own.length > 0) await grant(openPersonFolder(env), project, ...own);
}

async function contentOf(path: string): Promise<string> {
  if (path !== SCHEMA) return readFile(join(packageDir, "starter", path), "utf8");
  const { configJsonSchema } = await import("../../config/files/json-schema.ts");
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}

/** False if something is there already: nothing is ever overwritten. */
async function create(path: string, content: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Adds the lines that are missing; false if none is. */
async function ignore(path: string): Promise<boolean> {
  const text = (await readTextFile(path, IGNORE_FILE)) ?? "";
  const present = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  const missing = IGNORED.filter((line) => !present.has(line));
  if (missing.length === 0) return false;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  // A link that leads nowhere yet would make a file there.
  await appendFile(path, `${gap}${missing.join("\n")}\n`, { flag: APPEND });
  return true;
}

function nextSteps(folder: string): string {
  const steps = [
    ...(folder === "." ? [] : [`cd ${folder}`]),
    'legion start 3 --task "survey ." --until-idle      a team at work; it needs no key',
    "legion start --agent clerk                         the agent in agents/clerk.md; edit it",
    "legion doctor                                      what this machine has, and which model would run",
  ];
  return ["", "Now:", ...steps.map((step) => `  ${step}`)].join("\n");
}
