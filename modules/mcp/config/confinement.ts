// Where a server runs, and what it reaches from there.

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
  { name, way }: Pick<Entry, "name" | "way">,
  { outside, network }: ConfinementSettings,
): Confinement {
  if (way.kind !== "stdio") return { where: "elsewhere", network: "off" };
  if (outside.includes(name)) return { where: "outside", network: "on" };
  const said = Object.hasOwn(network, name) ? network[name] : undefined;
  return { where: "sandbox", network: said ?? fetchedFrom(way) };
}

function fetchedFrom({ command, args }: Extract<Entry["way"], { kind: "stdio" }>): "off" | readonly string[] {
  const words = [command.split("/").at(-1), args[0]].join(" ");
  const found = LAUNCHERS.find(([launcher]) => `${words} `.startsWith(`${launcher} `));
  return found?.[1] ?? "off";
}
