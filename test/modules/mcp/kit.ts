import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { keepConnected, type Connection } from "../../../modules/mcp/life/connection.ts";
import { openStdio } from "../../../modules/mcp/life/stdio.ts";
import type { Program } from "../../../modules/mcp/life/process.ts";
import { createNetwork } from "../../../src/environment/network/network.ts";
import { endTree } from "../../../src/environment/process-tree.ts";
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

export function serverNode(clock: HandClock) {
  const network = createNetwork({ allowPrivate: [] });
  onTestFinished(network.close);
  return {
    network,
    environment: { PATH: process.env["PATH"] ?? "", LEGION_RUN: "of-this-test", SECRET: "not for servers" },
    endTree: async (group: number, mark: string) => void (await endTree(group, mark)),
    clock,
  };
}

export const NEVER = new AbortController().signal;

/** A connection to it whose time is moved by hand; it is closed when the test ends. */
export function connect(program: Program): { readonly connection: Connection; readonly clock: HandClock } {
  const clock = createHandClock();
  const node = serverNode(clock);
  const connection = keepConnected(
    program.name,
    (attempt) => openStdio(program, node, { ...attempt, connectMs: 10_000 }),
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
