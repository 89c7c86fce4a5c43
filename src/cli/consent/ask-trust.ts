// Before code that a project brings runs for the first time, and before its files widen anything, the person is asked: once
// for all of it, and again for what changed. The answer is kept in the person's folder, where no project and no agent can
// write. Without one code does not run, and everything else is left out.

import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { grant } from "../../storage/folder/person/trust.ts";
import { filesOf, openGrants, untrusted, type OpenGrants } from "../../config/grants/admission.ts";
import { ALWAYS, type CodeGrant } from "../../config/grants/code.ts";
import type { WantedGrant } from "../../config/grants/grant.ts";
import type { Admit, Brought } from "../../config/module-loader.ts";
import type { Io, Typed } from "../kit/command.ts";
import type { ConsoleIo } from "../console/editor/input.ts";
import { askPerson, canAsk } from "./confirm.ts";
import { columnsFor, oneLine, warn } from "../kit/output.ts";
import { leftOut } from "../../config/grants/left-out.ts";
import { breakLine, spelt, wrap } from "../kit/terminal.ts";

/** `this`: as it is now. `always`: its code whatever becomes of it. */
type TrustAnswer = "this" | "always" | "no";

const WAY = "--trust runs it as it is now, --trust-always whatever it becomes";
const MAX_SHOWN = 12;
const MAX_NAMED = 3;

type Asking = Pick<ConsoleIo, "env" | "stdin" | "stdout"> & Pick<Io, "stderr">;

/** Lets run what the person trusts, and asks where nobody has said yet, at most once for the same. */
export function createAdmission(project: string, { options }: Pick<Typed, "options">, io: Asking): Admit {
  const settled = new Set<string>();
  const keyOf = ({ what, value }: WantedGrant): string => `${what} ${value}`;
  return async ({ modules, grants }) => {
    const brought = {
      modules: modules.filter((path) => !settled.has(path)),
      grants: grants.filter((wanted) => !wanted.isGranted && !settled.has(keyOf(wanted))),
    };
    if (brought.modules.length === 0 && brought.grants.length === 0) return;
    await admit(brought, project, options, io);
    for (const key of [...brought.modules, ...brought.grants.map(keyOf)]) settled.add(key);
  };
}

async function admit(
  brought: Brought,
  project: string,
  options: Typed["options"],
  io: Asking,
): Promise<void> {
  const person = openPersonFolder(io.env);
  const open = await openGrants(brought, project, person);
  if (options["trustAlways"]) return grant(person, project, ALWAYS, ...open.wanted);
  if (open.code.length === 0 && open.wanted.length === 0) return;
  let answer: TrustAnswer = options["trust"] ? "this" : "no";
  if (answer === "no" && canAsk(io) && !options["json"]) answer = await ask(open, io);
  if (answer === "always") return grant(person, project, ALWAYS, ...open.wanted);
  if (answer === "this") {
    await grant(person, project, ...open.code, ...open.wanted);
    const now = await openGrants(brought, project, person);
    // While the person read, somebody exchanged what was asked about.
    if (now.code.length > 0) throw untrusted(now.code, WAY);
    return;
  }
  if (open.code.length > 0) throw untrusted(open.code, WAY);
  warn(io, leftOut(open.wanted));
}

async function ask({ code, wanted, isChange }: OpenGrants, io: Asking): Promise<TrustAnswer> {
  const inRows = (text: string): readonly string[] => wrap(text, columnsFor(io));
  const since = isChange ? "has changed since you trusted it" : "has not run here before";
  const wishes = wanted.flatMap(({ says, by }) =>
    breakLine(`  ${spelt(says)} (${spelt(by)})`, columnsFor(io)),
  );
  const rows = [
    ...(code.length > 0 ? codeRows(code, since, inRows) : []),
    ...(wanted.length > 0 ? inRows("By its own files this project would:") : []),
    ...wishes,
    ...inRows(
      code.length > 0
        ? "y: run it, and ask again when its code changes or it wants more. a: always, whatever this project becomes. Anything else: no."
        : "y: so be it, and ask again for whatever goes beyond that. Anything else: no, and it goes on without.",
    ),
  ];
  io.stdout.write(`${rows.join("\n")}\n`);
  const answer = await askPerson(code.length > 0 ? "Run it? y/a/N " : "Trust it? y/N ", io);
  if (code.length > 0 && (answer === "a" || answer === "always")) return "always";
  return answer === "y" || answer === "yes" ? "this" : "no";
}

function codeRows(
  code: readonly CodeGrant[],
  since: string,
  inRows: (text: string) => readonly string[],
): readonly string[] {
  const files = filesOf(code);
  const untold = [...new Set(code.flatMap((item) => item.untold))];
  const unclear = oneLine(untold.slice(0, MAX_NAMED).join("; "));
  const all = `Its text does not tell all that it loads (${unclear}), so all code files of the project count.`;
  return [
    ...inRows(`This project brings code that can do here whatever you can do. It ${since}:`),
    ...files.slice(0, MAX_SHOWN).map((file) => `  ${oneLine(file)}`),
    ...(files.length > MAX_SHOWN ? [`  and ${files.length - MAX_SHOWN} more files`] : []),
    ...(untold.length > 0 ? inRows(all) : []),
  ];
}
