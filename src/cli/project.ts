// Which project a command is about, and which of its agents.

import { stat, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command as Parser } from "commander";
import { LegionError } from "../errors.ts";
import type { AgentId } from "../message.ts";
import { createReader, type Reader } from "../reader.ts";
import { resolveKnown, type Targets } from "../server/control-api.ts";
import type { ReachOptions } from "../server/reach.ts";
import type { Io, Typed } from "./command.ts";

export function offerDir(parser: Parser): Parser {
  return parser.option("--dir <folder>", "the project's folder, if it is not the current one");
}

export function offerJson(parser: Parser): Parser {
  return parser.option("--json", "print JSON, one object a line");
}

/** The real path of the project's folder. Throws USAGE if there is no such folder. */
export async function projectOf({ options }: Typed, { cwd }: Io): Promise<string> {
  const folder = typeof options["dir"] === "string" ? options["dir"] : ".";
  if (folder === "")
    throw new LegionError("USAGE", "--dir: the folder is empty; leave the option out to use the current one");
  const path = resolve(cwd, folder);
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new LegionError("USAGE", `--dir: there is no folder ${JSON.stringify(folder)}`);
  return realpath(path);
}

/** What `reach` asks for. Throws CONFIG if config.yaml is wrong. */
export async function reachOf(reader: Reader, { env }: Io): Promise<ReachOptions> {
  const { loadConfig } = await import("../config.ts");
  const { durability } = await loadConfig({ projectDir: reader.paths.project, env, flags: {} });
  return { reader, durability };
}

export async function readerOf(typed: Typed, io: Io): Promise<Reader> {
  return createReader(await projectOf(typed, io));
}

/** Throws USAGE, naming the known ids, unless `id` is an agent. */
export async function checkAgent(reader: Reader, id: string): Promise<AgentId> {
  const [known] = resolveKnown([id], await reader.known());
  return known!;
}

/** Reads `2`, `2,3` or `all`. Throws USAGE, naming the known ids, if one of them is no agent. */
export async function checkTargets(reader: Reader, text: string): Promise<Targets> {
  const ids = text.split(",").map((id) => id.trim());
  const targets = text.trim() === "all" ? "all" : ids.filter((id) => id !== "");
  if (targets.length === 0) throw new LegionError("USAGE", "name an agent, several such as 2,3, or all");
  const known = resolveKnown(targets, await reader.known());
  return targets === "all" ? targets : known;
}
