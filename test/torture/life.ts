// One life of the process: started, and ended from outside unless it ends by itself.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Order } from "./order.ts";
import { MEMORY } from "./scribe.ts";

/**
 * What befalls a life, so long after the process was started or a node was ready. `SIGKILL`: it is dead at once.
 * `SIGSTOP`: it stops in the middle of its work, is taken for dead, and goes on when another one is at its place.
 */
export interface Fate {
  readonly signal: "SIGKILL" | "SIGSTOP";
  readonly after: "spawn" | "ready";
  readonly ms: number;
}

export interface Ended {
  /** `itself`: it came to its end, well or with an error. */
  readonly by: "itself" | "SIGKILL" | "SIGSTOP";
  /** How long it took to be ready; `undefined` if it did not come to that. */
  readonly readyMs: number | undefined;
  /** What it said of itself if it failed; empty if it did not. */
  readonly error: string;
  /** Only one that was stopped. */
  readonly sleeper?: Sleeper;
}

export interface Sleeper {
  wake(): void;
  bury(): Promise<void>;
}

/** @param onReady called when a node is ready */
export async function live(program: string, order: Order, fate: Fate, onReady: () => void): Promise<Ended> {
  const began = performance.now();
  // Whoever reads the end of its input has lost its parent.
  const child = spawn(process.execPath, [program, JSON.stringify(order)], { stdio: "pipe" });
  let readyMs: number | undefined;
  let error = "";
  const over = new AbortController();
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
  const closed = once(child, "close") as Promise<[number | null, string | null]>;
  const ready = once(child.stdout, "data").then(() => {
    readyMs = performance.now() - began;
    onReady();
  });
  const met = async (): Promise<"met"> => {
    if (fate.after === "ready") await ready;
    await delay(fate.ms, undefined, { signal: over.signal });
    child.kill(fate.signal);
    return "met";
  };
  const fated = met().catch(() => "missed" as const);
  if (fate.signal === "SIGSTOP" && (await Promise.race([fated, closed])) === "met") {
    takeForDead(order.project);
    return { by: "SIGSTOP", readyMs, error: "", sleeper: sleeperOf(child, closed) };
  }
  const [code, signal] = await closed;
  over.abort();
  if (signal === "SIGKILL") return { by: "SIGKILL", readyMs, error: "" };
  return { by: "itself", readyMs, error: code === 0 ? "" : error || `It ended with ${signal ?? code}.` };
}

function sleeperOf(child: ChildProcess, closed: Promise<unknown>): Sleeper {
  return {
    wake: () => child.kill("SIGCONT"),
    async bury() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

/** As if the machine had been started anew since: a lock of an earlier boot is nobody's, also that of a memory. */
function takeForDead(project: string): void {
  const home = join(project, ".ai-legion");
  for (const folder of [join(home, "lock"), join(home, "memory", MEMORY, "lock")]) {
    const newest = Math.max(...readdirSync(folder).map(Number));
    const path = join(folder, String(newest));
    const holder = JSON.parse(readFileSync(path, "utf8")) as object;
    writeFileSync(path, JSON.stringify({ ...holder, boot: "an earlier one" }));
  }
}
