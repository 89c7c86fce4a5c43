import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { keepConnected, type Connection } from "../../../modules/mcp/life/connection.ts";
import { placeFor } from "../../../modules/mcp/life/start.ts";
import { openStdio } from "../../../modules/mcp/life/stdio.ts";
import type { Program } from "../../../modules/mcp/life/process.ts";
import { createNetwork } from "../../../src/environment/network/network.ts";
import type { Network } from "../../../src/domain/authoring/network.ts";
import type { Programs } from "../../../src/domain/authoring/program.ts";
import { createLocalEnvironment } from "../../../src/environment/local.ts";
import { createHandClock, type HandClock } from "../../hand-clock.ts";

export const FAKE_SERVER = join(import.meta.dirname, "fake-server.mjs");

/** A fake server with `vice`, which may write into `file`. */
export function fake(vice: string, file = ""): Program {
  const args = [FAKE_SERVER, vice, file];
  return {
    name: "fake",
    way: { kind: "stdio", command: process.execPath, args, env: {}, cwd: import.meta.dirname },
  };
}

/** Without a sandbox. */
export function localPrograms(): Programs {
  const { PATH } = process.env;
  const { start } = createLocalEnvironment({ PATH, SECRET: "not for servers" });
  const startOutside: Programs["startOutside"] = (order) => start({ ...order, mark: randomUUID() });
  return { isConfined: false, confinement: "none", start: startOutside, startOutside };
}

/** Of servers of which nobody said anything. */
export const UNSAID = { outside: [], network: {} };

export function openNetwork(): Network {
  const network = createNetwork({ allowPrivate: [] });
  onTestFinished(network.close);
  return network;
}

export function serverPlace(clock: HandClock) {
  const entry = { ...fake("none"), hash: "0", says: "", place: "", project: "/" };
  return { ...placeFor(entry, UNSAID, localPrograms()), network: openNetwork(), clock };
}

export const NEVER = new AbortController().signal;

/** A connection to it whose time is moved by hand; it is closed when the test ends. */
export function connect(program: Program): { readonly connection: Connection; readonly clock: HandClock } {
  const clock = createHandClock();
  const place = serverPlace(clock);
  const connection = keepConnected(
    program.name,
    (attempt) => openStdio(program, place, { ...attempt, connectMs: 10_000 }),
    clock,
  );
  onTestFinished(connection.close);
  return { connection, clock };
}

/** What stands on the lines of `file`; nothing if it is not there. */
export function linesIn(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

/** Does the process run? */
export function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.[0] !== "Z";
  } catch {
    return false;
  }
}
