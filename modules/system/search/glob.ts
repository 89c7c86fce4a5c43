// Which files are meant by a glob, in the words of a `.gitignore`: `*.ts` at any depth, `src/*.ts` from the folder on. Only
// files fit, not what lies in a folder whose name does.

import { Mistake } from "./mistake.ts";
import { compile, literal } from "./rules.ts";

export interface Glob {
  /** Rules, from the top of the workspace. */
  readonly rules: readonly string[];
  /** What fits is meant, or what does not. */
  readonly means: "fitting" | "others";
}

const MAX_ALTERNATIVES = 100;
const MAX_REACHES = 3;
/** Nothing that lies deeper fits: globs that reach over many folders would take too long. */
const MAX_DEPTH = 200;
const TAKE_IN_FOLDERS = "!*/";

/** Does a path from the top of the workspace fit each of `globs`? */
export function fitting(globs: readonly Glob[]): (path: string) => boolean {
  const matchers = globs.map(({ rules, means }) => ({
    says: compile([...rules, TAKE_IN_FOLDERS]),
    wanted: means === "fitting",
  }));
  return (path) =>
    matchers.every(({ says, wanted }) => says(path).ignored === wanted) &&
    (globs.length === 0 || path.split("/").length <= MAX_DEPTH);
}

/** What the names of files must look like, that all fitting ones do; `undefined`: that cannot be said simply. */
export function namesOf(globs: readonly Glob[]): readonly string[] | undefined {
  const [one] = globs;
  if (one?.means !== "fitting") return undefined;
  const names = one.rules.map((rule) => rule.split("/").at(-1)!);
  return names.every((name) => /^[\w.*?-]+$/.test(name) && !name.includes("**")) ? names : undefined;
}

/** `glob` as somebody means it who looks from the folder at `names`. Throws Mistake. */
export function readGlob(glob: string, names: readonly string[]): Glob {
  const isNegated = glob.startsWith("!");
  const written = (isNegated ? glob.slice(1) : glob).replace(/^(?:\.\/)+/, "");
  if (written.replace(/[/\s]/g, "") === "") throw new Mistake("it names nothing");
  if (written.split("/").includes(".."))
    throw new Mistake("it cannot lead up with ..; set path to where it begins");
  if ((written.match(/\*\*/g)?.length ?? 0) > MAX_REACHES)
    throw new Mistake(`it has more than ${MAX_REACHES} of **`);
  const from = names.map((name) => `/${literal(name)}`).join("");
  const rules = alternativesOf(written).map((one) => {
    const isTied = one.replace(/\/+$/, "").includes("/");
    return `${from}/${isTied ? "" : "**/"}${one.replace(/^\/+/, "").replace(/\/+$/, "/**")}`;
  });
  return { rules: rules.map(tidy), means: isNegated ? "others" : "fitting" };
}

/** `a/{b,c}` is `a/b` and `a/c`. */
function alternativesOf(glob: string): readonly string[] {
  const open = [glob];
  const done: string[] = [];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const [before, inside, after] = innermostOf(one) ?? [];
    if (inside === undefined) done.push(one);
    else open.push(...inside.split(",").map((part) => `${before}${part}${after}`));
    if (open.length + done.length > MAX_ALTERNATIVES)
      throw new Mistake(`its { , } make more than ${MAX_ALTERNATIVES} of it`);
  }
  return done;
}

/** What stands before, in and after the first pair of braces that holds no other. */
function innermostOf(glob: string): readonly string[] | undefined {
  const found = /(?<!\\)\{([^{}]*,[^{}]*)(?<!\\)\}/.exec(glob);
  return found
    ? [glob.slice(0, found.index), found[1]!, glob.slice(found.index + found[0].length)]
    : undefined;
}

/** A brace that is left stands for itself; so do two stars that are not all of a name. */
function tidy(rule: string): string {
  const parts = rule.split("/").map((part) => (part === "**" ? part : part.replace(/\*{2,}/g, "*")));
  const tidied = parts.join("/").replace(/(?<!\\)[{}]/g, "\\$&");
  let open = -1;
  for (let at = 0; at < tidied.length; at++) {
    if (tidied[at] === "\\") at++;
    else if (open < 0 && tidied[at] === "[") open = at;
    else if (open >= 0 && tidied[at] === "]" && !/^\[[!^]?$/.test(tidied.slice(open, at))) open = -1;
  }
  if (open >= 0) throw new Mistake("its [ is never closed; \\[ is a bracket itself");
  if (/(?<!\\)(?:\\\\)*\\$/.test(tidied)) throw new Mistake("it ends in a \\");
  return tidied;
}
