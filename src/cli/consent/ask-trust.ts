// Before code that a project brings runs for the first time, or after it changed, the person is asked. The answer is kept
// in the person's folder, where no project and no agent can write.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { LegionError } from "../../base/errors.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { grant, grantsOf, type Grant } from "../../storage/folder/person/trust.ts";
import { codeOf } from "../../config/code/project-code.ts";
import { isInside, shownPath } from "../../base/files/project-file.ts";
import type { Admit, Brought } from "../../config/module-loader.ts";
import type { Typed } from "../kit/command.ts";
import type { ConsoleIo } from "../console/editor/input.ts";
import { askPerson, canAsk } from "./confirm.ts";
import { columnsFor, oneLine } from "../kit/output.ts";
import { wrap } from "../kit/terminal.ts";

/** `this`: as it is now. `always`: whatever becomes of it. */
type TrustAnswer = "this" | "always" | "no";

/** Something that would run; its value is another one if it changed. */
interface TrustItem extends Grant {
  /** For people. */
  readonly files: readonly string[];
  readonly untold: readonly string[];
}

const ALWAYS = { what: "code", value: "always" } as const;
const COMMANDS = "every command of its agents (its .ai-legion/config.yaml allows them)";
const MAX_SHOWN = 12;

/** Lets run what the person trusts, and asks where nobody has said yet, at most once for the same. */
export function createAdmission(project: string, { options }: Pick<Typed, "options">, io: ConsoleIo): Admit {
  const admitted = new Set<string>();
  const isNew = (path: string): boolean => !admitted.has(path);
  return async ({ modules, programs, commands }) => {
    const brought = { modules: modules.filter(isNew), programs: programs.filter(isNew), commands };
    const paths = [...brought.modules, ...brought.programs];
    if (paths.length === 0 && commands === undefined) return;
    await admit(brought, project, options, io);
    for (const path of paths) admitted.add(path);
  };
}

async function admit(
  brought: Brought,
  project: string,
  options: Typed["options"],
  io: ConsoleIo,
): Promise<void> {
  const person = openPersonFolder(io.env);
  const grants = await grantsOf(person, project);
  if (grants.get(ALWAYS.what) === ALWAYS.value) return;
  const items = (await itemsOf(brought, project)).filter(({ what, value }) => grants.get(what) !== value);
  if (options["trustAlways"]) return grant(person, project, ALWAYS);
  if (items.length === 0) return;
  const isChange = items.some(({ what }) => grants.has(what));
  const since = isChange ? "has changed since you trusted it" : "has not run here before";
  let answer: TrustAnswer = options["trust"] ? "this" : "no";
  if (answer === "no" && canAsk(io) && !options["json"]) answer = await ask(items, since, io);
  if (answer === "always") return grant(person, project, ALWAYS);
  if (answer === "no") throw refusal(items);
  await grant(person, project, ...items);
}

async function itemsOf(
  { modules, programs, commands }: Brought,
  project: string,
): Promise<readonly TrustItem[]> {
  const items: TrustItem[] = [];
  for (const path of modules) {
    const { hash, files, untold } = await codeOf(project, [path]);
    items.push({ what: `code ${shownPath(project, path)}`, value: `sha256:${hash}`, files, untold });
  }
  for (const path of programs) {
    const shown = shownPath(project, path);
    const files = [`${shown} (the browser that its settings name)`];
    items.push({ what: `program ${shown}`, value: await valueOf(path, project), files, untold: [] });
  }
  if (commands === "allow") items.push({ what: "commands", value: commands, files: [COMMANDS], untold: [] });
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

async function ask(items: readonly TrustItem[], since: string, io: ConsoleIo): Promise<TrustAnswer> {
  const inRows = (text: string): readonly string[] => wrap(text, columnsFor(io));
  const files = filesOf(items);
  const untold = [...new Set(items.flatMap((item) => item.untold))];
  const unclear = oneLine(untold.slice(0, 3).join("; "));
  const all = `Its text does not tell all that it loads (${unclear}), so all code files of the project count.`;
  const rows = [
    ...inRows(`This project brings code that can do here whatever you can do. It ${since}:`),
    ...files.slice(0, MAX_SHOWN).map((file) => `  ${oneLine(file)}`),
    ...(files.length > MAX_SHOWN ? [`  and ${files.length - MAX_SHOWN} more files`] : []),
    ...(untold.length > 0 ? inRows(all) : []),
    ...inRows(
      "y: run it, and ask again when it changes. a: always, whatever this project becomes. Anything else: no.",
    ),
  ];
  io.stdout.write(`${rows.join("\n")}\n`);
  const answer = await askPerson("Run it? y/a/N ", io);
  if (answer === "a" || answer === "always") return "always";
  return answer === "y" || answer === "yes" ? "this" : "no";
}
