// What this machine has for a legion. Keys are never shown.

import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Config } from "../../config/config.ts";
import { LegionError, messageOf } from "../../base/errors.ts";
import { findEnvironment } from "../../environment/open.ts";
import { chooseModel } from "../../model/registry/choice.ts";
import { serverOf, type ConnectionSettings } from "../../model/registry/connection.ts";
import { openModel } from "../../model/registry/registry.ts";
import { listModels, type ListModels, type Listing } from "../../model/registry/server.ts";
import type { Io } from "../kit/command.ts";
import { finding, type DoctorFinding } from "./finding.ts";

const OLDEST_NODE = [20, 19] as const;
/** How long a server may take: whoever looks does not want to wait. */
const PATIENCE_MS = 3_000;
const MAX_NAMED = 8;

/** What is run of other programs, and what for. */
const PROGRAMS = [
  ["sh", "commands of agents"],
  ["bash", "commands of agents; sh runs them without it"],
] as const;
const VARIABLES = [
  ["ANTHROPIC_API_KEY", "for Anthropic's models"],
  ["OPENAI_API_KEY", "for OpenAI's models"],
  ["OPENAI_BASE_URL", "for a server that speaks OpenAI's protocol"],
] as const;

export async function* checkMachine(io: Io): AsyncGenerator<DoctorFinding> {
  const { env } = io;
  yield checkNode(process.versions.node);
  for (const [name, purpose] of PROGRAMS) {
    const path = await findProgram(name, env["PATH"] ?? "");
    yield path === undefined
      ? finding(name, "missing", `not found; for ${purpose}`)
      : finding(name, "ok", path);
  }
  yield await checkSandbox(io);
}

/** Where commands run if nobody says otherwise; tries the whole sandbox. */
export async function checkSandbox({ env }: Io): Promise<DoctorFinding> {
  const { probe } = await findEnvironment(env);
  return probe.works
    ? finding("sandbox", "ok", `bubblewrap works (${probe.program}): commands reach the workspace alone`)
    : finding(
        "sandbox",
        "missing",
        `${probe.reason}; without one each command is asked. What helps: ${probe.help}`,
      );
}

export function checkNode(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return isOld
    ? finding("node", "wrong", `${version}; ${OLDEST_NODE.join(".")} or newer is needed`)
    : finding("node", "ok", version);
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

/** Which model an agent would get of whom nobody says otherwise, and what it needs. Asks only a compatible server what it has. */
export async function* checkModel(
  { environment, providers, models, model }: Config,
  dir: string,
): AsyncGenerator<DoctorFinding> {
  const env = environment();
  for (const [variable, purpose] of VARIABLES) {
    yield env[variable] === undefined
      ? finding(variable, "missing", `not set; ${purpose}`)
      : finding(variable, "ok", "set");
  }
  const listed = listAt({ env, providers });
  if (listed) yield await checkServer(listed);
  try {
    const list: ListModels = () => listed!.listing;
    const { name, why } = await chooseModel(env, { config: model, providers, list });
    await openModel(name, { env, dir, providers, models }).catch((error: unknown) => {
      throw new LegionError("CONFIG", `${name} (${why}): ${messageOf(error)}`);
    });
    const ids = name.startsWith("openai/") ? await listed?.listing.catch(() => undefined) : undefined;
    const isThere = !ids || ids.models.includes(name.slice("openai/".length));
    yield isThere
      ? finding("model", "ok", `${name}: ${why}`)
      : finding("model", "warning", `${name} (${why}): the server does not list it`);
  } catch (error) {
    yield finding("model", "wrong", messageOf(error));
  }
}

interface Listed {
  readonly place: string;
  readonly listing: Promise<Listing>;
}

/** `undefined`: there is no compatible server, or it may not be asked, which whoever opens a model is told. */
function listAt(settled: ConnectionSettings): Listed | undefined {
  try {
    const server = serverOf(settled);
    return server && { place: server.baseUrl, listing: listModels(server, { timeoutMs: PATIENCE_MS }) };
  } catch {
    return undefined;
  }
}

async function checkServer({ place, listing }: Listed): Promise<DoctorFinding> {
  const check = "model server";
  try {
    const { models } = await listing;
    const named = models.slice(0, MAX_NAMED).join(", ") + (models.length > MAX_NAMED ? ", ..." : "");
    const has = models.length === 0 ? "no model that chats" : `${models.length} to chat with: ${named}`;
    return finding(check, models.length === 0 ? "wrong" : "ok", `${place} has ${has}`);
  } catch (error) {
    return finding(check, "wrong", messageOf(error));
  }
}
