// One process of the browser with everything it writes: a folder of its own, removed when the process has ended,
// whoever ended it. It ends when this process does, because then the pipe between the two closes.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { platform } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "puppeteer";
import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import { ANSWER_MS, END_MS, MAX_MESSAGE_BYTES } from "./limits.ts";
import { openPipe } from "./pipe.ts";
import { switchesFor } from "./switches.ts";

export interface RunningBrowser {
  readonly browser: Browser;
  /** Resolves when the process has ended and its folder is gone. */
  readonly gone: Promise<void>;
  /** Ends it, whatever it does. Resolves with `gone`. */
  end(): Promise<void>;
}

const MAX_SAID = 8_192;

/** Rejects, with a sentence that says what to do where we know it, if the browser does not start. */
export async function startBrowser(executable: string, node: NodeHost): Promise<RunningBrowser> {
  const { default: puppeteer } = await import("puppeteer");
  await mkdir(node.scratch, { recursive: true });
  const folder = await mkdtemp(join(node.scratch, "browser-"));
  const child = spawn(executable, switchesFor(folder), {
    env: { ...node.environment, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    // A process group of its own, to be ended as one.
    detached: true,
  });
  const said = listen(child);
  const gone = ending(child).then(async () => {
    endGroup(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  const [, , , input, output] = child.stdio;
  const transport = openPipe(input as Writable, output as Readable, MAX_MESSAGE_BYTES);
  try {
    const connecting = puppeteer.connect({
      transport,
      defaultViewport: null,
      issuesEnabled: false,
      protocolTimeout: ANSWER_MS,
    });
    const browser = await Promise.race([connecting, gone.then(() => connecting)]);
    const end = async () => {
      // Asked for it, it cleans up what it keeps elsewhere.
      browser.close().catch(() => undefined);
      const late = delay(END_MS, "late" as const, { ref: false });
      if ((await Promise.race([gone, late])) === "late") endGroup(child);
      await gone;
    };
    return { browser, gone, end };
  } catch (error) {
    endGroup(child);
    await gone;
    throw new Error(whyNot(executable, said()), { cause: error });
  }
}

/** Returns what it said last. */
function listen({ stderr }: ChildProcess): () => string {
  let said = "";
  stderr?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-MAX_SAID)));
  return () => said;
}

function ending(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    // It never began, or a signal could not be sent: then `exit` comes, too.
    child.once("error", () => child.pid === undefined && resolve());
  });
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (platform() === "win32") return void child.kill("SIGKILL");
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // EPERM: macOS says so of a group that holds only zombies.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

function whyNot(executable: string, said: string): string {
  if (/no usable sandbox/i.test(said)) {
    return (
      "The browser did not start, because this system lets it have no sandbox. Allow it user namespaces (on Ubuntu: " +
      "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0), or set web.browser to off."
    );
  }
  const last = said.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  return `The browser ${executable} did not start${last === "" ? "." : `: ${last}`}`;
}
