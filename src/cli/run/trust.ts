// What a project may grant itself: what the person said, and what its files want.

import { packageDir } from "../../base/package.ts";
import { count } from "../../base/text/wording.ts";
import { codeGrants } from "../../config/grants/code.ts";
import { grantsIn } from "../../config/grants/project-grants.ts";
import { loadConfig } from "../../config/load-config.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { forget, trustedProjects, type ProjectTrust } from "../../storage/folder/person/trust.ts";
import { createAdmission } from "../consent/ask-trust.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { print, printJson, printRows } from "../kit/output.ts";
import { addDirOption, addJsonOption, addTrustOption, projectOf } from "../kit/target.ts";
import { spelt } from "../kit/terminal.ts";

/** As `--json` tells it. */
interface TrustLine {
  /** `changed`: granted with another value, so it does not count. `unused`: granted, and nothing wants it now. */
  readonly status: "granted" | "changed" | "wanted" | "unused" | "answered";
  readonly what: string;
  readonly value?: string;
  /** When the person said so; ISO 8601. */
  readonly at?: string;
  /** For people. */
  readonly says: string;
}

export const command: CliCommand = {
  define(parser) {
    addTrustOption(addJsonOption(addDirOption(parser)))
      .option("--list", "every project that you said something of")
      .option("--forget", "take back whatever you said of this project");
  },
  async run(typed, io) {
    const { list, forget: isForgotten, json } = typed.options;
    if (list) return listProjects(typed, io);
    const project = await projectOf(typed, io);
    if (isForgotten) return forgetProject(project, typed, io);
    const lines = await linesOf(project, typed, io);
    for (const line of lines) {
      if (json) printJson(io, line);
      else printRows(io, `${line.status.padEnd(8)} ${spelt(line.says)}`);
    }
    if (!json) printRows(io, verdict(lines));
    return 0;
  },
};

async function linesOf(project: string, typed: Typed, io: Io): Promise<readonly TrustLine[]> {
  const config = await loadConfig({ projectDir: project, env: io.env, flags: {} });
  const brought = await grantsIn(config, { projectDir: project, packageDir });
  if (typed.options["trust"]) await createAdmission(project, typed, io)(brought);
  const code = await codeGrants(project, brought.modules);
  const said = (await trustedProjects(openPersonFolder(io.env))).get(project);
  const wanted = [
    ...code.map(({ what, value, files }) => {
      const more = files.length > 1 ? ` and what it loads, ${count(files.length, "file")} in all` : "";
      return { what, value, says: `run ${what.replace(/^code /, "")}${more}` };
    }),
    ...brought.grants.map(({ what, value, says, by }) => ({ what, value, says: `${says} (${by})` })),
  ];
  const names = new Set(wanted.map(({ what }) => what));
  const unused = Object.entries(said?.grants ?? {}).filter(([what]) => !names.has(what));
  const answers = Object.entries(said?.answers ?? {});
  return [
    ...wanted.map((one): TrustLine => ({ ...one, ...statusOf(one, said) })),
    ...unused.map(([what, { value, at }]) => unusedLine(what, value, at)),
    ...answers.map(([what, { at }]): TrustLine => ({ status: "answered", what, at, says: what })),
  ];
}

function statusOf(
  { what, value }: { readonly what: string; readonly value: string },
  said: ProjectTrust | undefined,
): Pick<TrustLine, "status" | "at"> {
  const isAlways = what.startsWith("code ") && said?.grants["code"]?.value === "always";
  if (isAlways) return { status: "granted", at: said.grants["code"]?.at };
  const before = said?.grants[what];
  if (!before) return { status: "wanted" };
  return { status: before.value === value ? "granted" : "changed", at: before.at };
}

/** Of the project as a whole, or of what its files do not say now. */
function unusedLine(what: string, value: string, at: string): TrustLine {
  if (what === "code")
    return { status: "granted", what, value, at, says: "run its code whatever becomes of it" };
  if (what === "owner") return { status: "granted", what, value, at, says: `belong to the user ${value}` };
  return { status: "unused", what, value, at, says: what };
}

function verdict(lines: readonly TrustLine[]): string {
  if (lines.length === 0) return "Nothing in this project needs your trust.";
  const open = lines.filter(({ status }) => status === "wanted" || status === "changed");
  return open.length === 0
    ? "\nAll that this project wants is granted; `legion trust --forget` takes it back."
    : "\nWhat is wanted or changed is left out, and code does not run; `legion trust --trust` grants it as it is now.";
}

async function listProjects({ options }: Typed, io: Io): Promise<number> {
  const projects = await trustedProjects(openPersonFolder(io.env));
  for (const [project, { grants, answers = {} }] of projects) {
    const [granted, answered] = [Object.keys(grants), Object.keys(answers)];
    if (options["json"]) printJson(io, { project, grants, answers });
    else
      print(io, `${spelt(project)}  ${count(granted.length, "grant")}, ${count(answered.length, "answer")}`);
  }
  if (projects.size === 0 && !options["json"]) print(io, "You trust no project yet.");
  return 0;
}

async function forgetProject(project: string, { options }: Typed, io: Io): Promise<number> {
  const forgotten = await forget(openPersonFolder(io.env), project);
  if (options["json"]) printJson(io, { project, forgotten });
  else print(io, forgotten ? `Forgotten: ${spelt(project)}` : `Nothing is known of ${spelt(project)}.`);
  return 0;
}
