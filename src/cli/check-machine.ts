// What this machine has for a legion. Keys are never shown.

import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Config } from "../config.ts";
import { messageOf } from "../errors.ts";
import { chooseModel } from "../model/choice.ts";
import { openModel } from "../model/registry.ts";
import type { Io } from "./command.ts";
import type { Finding } from "./finding.ts";

const OLDEST_NODE = [20, 19] as const;

/** What is run of other programs, and what for. */
const PROGRAMS = [
  ["sh", "commands of agents"],
  ["bash", "commands of agents; sh runs them without it"],
] as const;

export async function* checkMachine({ env }: Io): AsyncGenerator<Finding> {
  yield checkNode(process.versions.node);
  for (const [name, purpose] of PROGRAMS) {
    const path = await findProgram(name, env["PATH"] ?? "");
    const detail = path ?? `not found; for ${purpose}`;
    yield { check: name, status: path === undefined ? "missing" : "ok", detail };
  }
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const detail = isOld ? `${version}; ${OLDEST_NODE.join(".")} or newer is needed` : version;
  return { check: "node", status: isOld ? "wrong" : "ok", detail };
}

async function findProgram(name: string, path: string): Promise<string | undefined> {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  for (const candidate of folders.map((folder) => join(folder, name))) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  return undefined;
}

/** Which model an agent would get of whom nobody says otherwise, and what it needs. */
export async function* checkModel(config: Config, dir: string): AsyncGenerator<Finding> {
  const env = config.environment();
  for (const [variable, purpose] of VARIABLES) {
    const isSet = env[variable] !== undefined;
    yield {
      check: variable,
      status: isSet ? "ok" : "missing",
      detail: isSet ? "set" : `not set; ${purpose}`,
    };
  }
  const { name, why } = await chooseModel(env, { config: config.model, providers: config.providers });
  try {
    await openModel(name, { env, dir, providers: config.providers, models: config.models });
    yield { check: "model", status: "ok", detail: `${name}: ${why}` };
  } catch (error) {
    yield { check: "model", status: "wrong", detail: `${name} (${why}): ${messageOf(error)}` };
  }
}

const VARIABLES = [
  ["ANTHROPIC_API_KEY", "for Anthropic's models"],
  ["OPENAI_API_KEY", "for OpenAI's models"],
  ["OPENAI_BASE_URL", "for a server that speaks OpenAI's protocol"],
] as const;
