// Before code that a project brings runs for the first time, or after it changed, the person is asked. The answer is kept
// in the person's folder, where no project and no agent can write.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { LegionError } from "../../base/errors.ts";
import { openPersonFolder, type PersonFolder } from "../../storage/folder/person/folder.ts";
import { grant, grantsOf, type GrantName } from "../../storage/folder/person/trust.ts";
import { codeOf, type ProjectCode } from "../../config/code/project-code.ts";
import { isInside, shownPath } from "../../base/files/project-file.ts";
import type { Admit, Brought } from "../../config/module-loader.ts";
import type { Typed } from "../kit/command.ts";
import type { ConsoleIo } from "../console/editor/input.ts";
import { askPerson, canAsk } from "./confirm.ts";
import { columnsFor, oneLine } from "../kit/output.ts";
import { wrap } from "../kit/terminal.ts";

/** `this`: as it is now. `always`: whatever becomes of it. */
type TrustAnswer = "this" | "always" | "no";

/** Something that would run, and what it is known by. */
interface TrustItem {
  readonly what: GrantName;
  /** Another one if it changed. */
  readonly value: string;
  /** For people. */
  readonly files: readonly string[];
  readonly untold: readonly string[];
  readonly since: "new" | "changed";
}

const ALWAYS = { what: "code", value: "always" } as const;
const COMMANDS = "every command of its agents (its .ai-legion/config.yaml allows them)";
const MAX_SHOWN = 12;

/** Where a person may sit. */
export interface AskingIo extends ConsoleIo {
  readonly stdout: ConsoleIo["stdout"] & { readonly columns?: number };
}

/** Lets run what the person trusts, and asks where nobody has said yet, at most once for the same. */
export function createAdmission(project: string, typed: Pick<Typed, "options">, io: AskingIo): Admit {
  const admitted = new Set<string>();
  return async ({ modules, programs, commands }) => {
    const brought = {
      modules: modules.filter((path) => !admitted.has(path)),
      programs: programs.filter((path) => !admitted.has(path)),
      commands,
    };
    const paths = [...brought.modules, ...brought.programs];
    if (paths.length === 0 && commands === undefined) return;
    await admit(brought, { project, typed, io, person: openPersonFolder(io.env) });
    for (const path of paths) admitted.add(path);
  };
}

interface Asking {
  readonly project: string;
  readonly typed: Pick<Typed, "options">;
  readonly io: AskingIo;
  readonly person: PersonFolder;
}

async function admit(brought: Brought, asking: Asking): Promise<void> {
  const { project, typed, io, person } = asking;
  const grants = await grantsOf(person, project);
  if (grants.get(ALWAYS.what) === ALWAYS.value) return;
  const items = (await itemsOf(brought, project, grants)).filter(
    ({ what, value }) => grants.get(what) !== value,
  );
  if (typed.options["trustAlways"]) return grant(person, project, ALWAYS);
  if (items.length === 0) return;
  const answer = typed.options["trust"] ? "this" : await ask(items, typed, io);
  if (answer === "always") return grant(person, project, ALWAYS);
  if (answer === "no") throw refusal(items);
  await grant(person, project, ...items);
}

async function itemsOf(
  { modules, programs, commands }: Brought,
  project: string,
  grants: ReadonlyMap<string, string>,
): Promise<readonly TrustItem[]> {
  const item = (
    what: GrantName,
    value: string,
    { files, untold }: Pick<ProjectCode, "files" | "untold">,
  ): TrustItem => {
    return { what, value, files, untold, since: grants.has(what) ? "changed" : "new" };
  };
  const items: TrustItem[] = [];
  for (const path of modules) {
    const code = await codeOf(project, [path]);
    items.push(item(`code ${shownPath(project, path)}`, `sha256:${code.hash}`, code));
  }
  for (const path of programs) {
    const named = { files: [`${shownPath(project, path)} (the browser that its settings name)`], untold: [] };
    items.push(item(`program ${shownPath(project, path)}`, await valueOf(path, project), named));
  }
  if (commands === "allow") items.push(item("commands", commands, { files: [COMMANDS], untold: [] }));
  return items;
}

/** A program of this machine is known by its path; one that the project brings by its content. */
async function valueOf(path: string, project: string): Promise<string> {
  if (!isInside(project, path)) return "as it is named";
  const content = await readFile(path).catch(() => "");
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

function refusal(items: readonly TrustItem[]): LegionError {
  const [first, ...more] = filesOf(items);
  const files = `${oneLine(first!)}${more.length > 0 ? ` and ${more.length} more` : ""}`;
  return new LegionError(
    "CONFIG",
    `this project brings code that you have not trusted: ${files}; --trust runs it as it is now, ` +
      "--trust-always whatever it becomes",
  );
}

function filesOf(items: readonly TrustItem[]): readonly string[] {
  return [...new Set(items.flatMap(({ files }) => files))];
}

async function ask(
  items: readonly TrustItem[],
  { options }: Pick<Typed, "options">,
  io: AskingIo,
): Promise<TrustAnswer> {
  if (!canAsk(io) || options["json"]) return "no";
  const { why, files, how } = question(items);
  const inRows = (texts: readonly string[]): readonly string[] =>
    texts.flatMap((text) => wrap(text, columnsFor(io)));
  io.stdout.write(`${[...inRows(why), ...files, ...inRows(how)].join("\n")}\n`);
  const answer = await askPerson("Run it? y/a/N ", io);
  if (answer === "a" || answer === "always") return "always";
  return answer === "y" || answer === "yes" ? "this" : "no";
}

function question(items: readonly TrustItem[]): Readonly<Record<"why" | "files" | "how", readonly string[]>> {
  const files = filesOf(items);
  const untold = [...new Set(items.flatMap((item) => item.untold))];
  const isChange = items.some(({ since }) => since === "changed");
  const since = isChange ? "has changed since you trusted it" : "has not run here before";
  const unclear = oneLine(untold.slice(0, 3).join("; "));
  return {
    why: [`This project brings code that can do here whatever you can do. It ${since}:`],
    files: [
      ...files.slice(0, MAX_SHOWN).map((file) => `  ${oneLine(file)}`),
      ...(files.length > MAX_SHOWN ? [`  and ${files.length - MAX_SHOWN} more files`] : []),
    ],
    how: [
      ...(untold.length > 0
        ? [`Its text does not tell all that it loads (${unclear}), so all code files of the project count.`]
        : []),
      "y: run it, and ask again when it changes. a: always, whatever this project becomes. Anything else: no.",
    ],
  };
}
