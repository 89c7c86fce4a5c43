// Where a server runs, and what it reaches from there.

import { isAbsolute, relative, resolve } from "node:path";
import type { Entry } from "./entry.ts";

/** What a person says of all servers. */
export interface ConfinementSettings {
  /** Names of servers that run outside of the sandbox. */
  readonly outside: readonly string[];
  /** What a server in the sandbox reaches, by its name; absent: what its launcher fetches it from. */
  readonly network: Readonly<Record<string, "off" | "on" | readonly string[]>>;
}

export interface Confinement {
  /** `elsewhere`: behind a URL, it is no program of this machine. */
  readonly where: "sandbox" | "outside" | "elsewhere";
  /** Means something in the sandbox only. */
  readonly network: "off" | "on" | readonly string[];
  /** What it may do to the files of the workspace: it writes where its entry names the project, or something in it. */
  readonly workspace: "reads" | "writes";
}

const NPM = ["registry.npmjs.org"];
const PYPI = ["pypi.org", "files.pythonhosted.org"];
/** What fetches a program before it runs it, with the words that have it do so. */
const LAUNCHERS: readonly (readonly [string, readonly string[]])[] = [
  ["npx", NPM],
  ["bunx", NPM],
  ["pnpx", NPM],
  ["npm exec", NPM],
  ["pnpm dlx", NPM],
  ["uvx", PYPI],
  ["uv tool", PYPI],
  ["pipx", PYPI],
];

export function confinementOf(
  { name, way, project }: Pick<Entry, "name" | "way" | "project">,
  { outside, network }: ConfinementSettings,
): Confinement {
  if (way.kind !== "stdio") return { where: "elsewhere", network: "off", workspace: "reads" };
  if (outside.includes(name)) return { where: "outside", network: "on", workspace: "writes" };
  const said = Object.hasOwn(network, name) ? network[name] : undefined;
  const workspace = namesOf(way).some((path) => isIn(project, path)) ? "writes" : "reads";
  return { where: "sandbox", network: said ?? fetchedFrom(way), workspace };
}

type Stdio = Extract<Entry["way"], { kind: "stdio" }>;

/** What the entry tells it that can be nothing but paths: `.`, `./data`, `--file=/srv/x`. */
function namesOf({ args, env, cwd }: Stdio): readonly string[] {
  const words = [...args, ...args.map((arg) => arg.slice(arg.indexOf("=") + 1)), ...Object.values(env)];
  return words.filter((word) => /^(?:\.{1,2}$|\.{0,2}\/)/.test(word)).map((word) => resolve(cwd, word));
}

function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split("/")[0] !== "..";
}

function fetchedFrom({ command, args }: Stdio): "off" | readonly string[] {
  const words = [command.split("/").at(-1), args[0]].join(" ");
  const found = LAUNCHERS.find(([launcher]) => `${words} `.startsWith(`${launcher} `));
  return found?.[1] ?? "off";
}
