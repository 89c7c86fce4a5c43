// The keys that this process was started with: in memory from then on, and nowhere that other code or a command of an
// agent can look them up. What a process was started with stays readable for every process of the same user, under
// /proc/<pid>/environ, for as long as it lives; deleting a variable does not change that, so its bytes are blanked there.
//
// Not covered: the processes that started this one (npm, a shell whose own environment has the key), and a debugger
// that reads memory, where the system lets one process of a user look into another.

import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { Variables } from "../../base/process/variables.ts";

/** Those of the services that we know, with what their libraries look up by themselves. */
const KEY =
  /^(?:(?:ANTHROPIC|OPENAI|GOOGLE|BRAVE|TAVILY)_(?:.*_)?(?:KEY|TOKEN|SECRET)|OTEL_EXPORTER_OTLP_(?:.*_)?HEADERS)$/;
const ADDRESS = /^(?:(?:ANTHROPIC|OPENAI|GOOGLE|BRAVE|TAVILY|SEARXNG)_(?:.*_)?URL|LEGION_BUS)$/;

/** The names of variables that hold a key, or an address with a password in it. */
export function keyVariables(env: Variables): readonly string[] {
  return Object.entries(env).flatMap(([name, value = ""]) =>
    value !== "" && (KEY.test(name) || (ADDRESS.test(name) && hasPassword(value))) ? [name] : [],
  );
}

function hasPassword(address: string): boolean {
  // What is no URL for Node may be one for Redis, such as a list of several hosts.
  return URL.canParse(address) ? new URL(address).password !== "" : address.includes("@");
}

/** A copy of all `variables`; those that hold keys are in the copy alone from now on. */
export function takeEnvironment(variables: NodeJS.ProcessEnv): Variables {
  const taken = Object.freeze({ ...variables });
  const names = keyVariables(taken);
  for (const name of names) delete variables[name];
  if (names.length > 0) blank(new Set(names));
  return taken;
}

/** Overwrites the values that this process was started with. Nothing happens where that is not to be had (macOS). */
function blank(names: ReadonlySet<string>): void {
  try {
    const start = startOfEnvironment();
    const environment = readFileSync("/proc/self/environ");
    const memory = openSync("/proc/self/mem", "r+");
    try {
      const there = Buffer.alloc(environment.length);
      readSync(memory, there, 0, there.length, start);
      if (!there.equals(environment)) return;
      for (const [at, length] of valuesIn(environment, names))
        writeSync(memory, Buffer.alloc(length), 0, length, start + at);
    } finally {
      closeSync(memory);
    }
  } catch {
    // A kernel may forbid it. `findExposedKeys` says what can still be read.
  }
}

/** Field 50 of /proc/self/stat, `env_start` (proc(5)). */
function startOfEnvironment(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[47]);
}

/** Where the values of `names` lie among the `name=value` entries, each of which a zero byte ends. */
function* valuesIn(
  environment: Buffer,
  names: ReadonlySet<string>,
): Generator<readonly [at: number, length: number]> {
  let at = 0;
  // One character for each byte.
  for (const entry of environment.toString("latin1").split("\0")) {
    const name = entry.slice(0, Math.max(0, entry.indexOf("=")));
    const length = entry.length - name.length - 1;
    if (names.has(name) && length > 0) yield [at + name.length + 1, length];
    at += entry.length + 1;
  }
}

export interface ExposedKeys {
  /** The variables whose values can be read there. */
  readonly names: readonly string[];
  readonly pid: number;
  /** The name of its program. */
  readonly program: string;
}

/** The processes in whose environment every process of this user can read a key of `env`; empty where there is no /proc. */
export async function findExposedKeys(env: Variables): Promise<readonly ExposedKeys[]> {
  const keys = keyVariables(env).map((name) => [name, `\0${name}=${env[name] ?? ""}\0`] as const);
  if (keys.length === 0) return [];
  const pids = (await readdir("/proc").catch(() => [])).map(Number).filter(Number.isInteger);
  const looks = pids.map(async (pid): Promise<readonly ExposedKeys[]> => {
    const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
    if (!environment) return [];
    const entries = Buffer.concat([Buffer.alloc(1), environment]);
    const names = keys.flatMap(([name, entry]) => (entries.includes(entry) ? [name] : []));
    if (names.length === 0) return [];
    const program = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
    return [{ names, pid, program: program.trim() }];
  });
  return (await Promise.all(looks)).flat();
}

/** What a person should know who lets agents run commands: one sentence, or none. */
export function exposedKeysRemark(shown: readonly ExposedKeys[]): readonly string[] {
  const [first] = shown;
  if (!first) return [];
  const names = [...new Set(shown.flatMap((process) => process.names))].sort().join(", ");
  const more = shown.length > 1 ? ` and ${shown.length - 1} more` : "";
  const where = `${first.program} (process ${first.pid}${more})`;
  return [
    `Commands of agents can read ${names} in the environment of ${where}; export it in the shell that starts this, ` +
      "without npm or npx, or use a key that may be lost.",
  ];
}
