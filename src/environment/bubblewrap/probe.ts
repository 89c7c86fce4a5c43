// Does the whole sandbox work on this machine, and if not, why not, and what helps?

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../../base/errors.ts";
import type { EnvironmentPlace } from "../environment.ts";
import { makeOwnFolders } from "../lodging.ts";
import { createBubblewrap } from "./bubblewrap.ts";
import type { Abilities } from "./profile.ts";
import { findProgram } from "./system.ts";

export type Probe =
  | { readonly works: true; readonly program: string; readonly abilities: Abilities }
  /** Both are for people, in words that end a sentence. */
  | { readonly works: false; readonly reason: string; readonly help: string };

/** What is asked of the machine; in tests another one. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly variables: NodeJS.ProcessEnv;
  /** A file of /proc; empty if there is none. */
  read(path: string): string;
}

export function thisMachine(variables: NodeJS.ProcessEnv): Machine {
  return { platform: process.platform, variables, read: readOrNothing };
}

const PROBE_MS = 10_000;
const LOOK = "if command -v bash >/dev/null; then echo bash; fi";
const NETWORKLESS: EnvironmentPlace["network"] = { openProxy: () => Promise.reject(new Error("no network")) };

/** Looks for bash in a sandbox as an agent's command would do it. */
export async function probeBubblewrap(machine: Machine): Promise<Probe> {
  const { platform, variables } = machine;
  if (platform !== "linux")
    return { works: false, reason: "bubblewrap is for Linux only", help: "use docker or podman" };
  const program = findProgram("bwrap", variables["PATH"] ?? "");
  if (program === undefined)
    return { works: false, reason: "bubblewrap is not installed", help: "install the package bubblewrap" };
  const abilities = { shell: "sh", canDisableUserns: await canDisableUserns(program) } as const;
  const folder = await realpath(await mkdtemp(join(tmpdir(), "legion-probe-")));
  try {
    const place: EnvironmentPlace = {
      ...{
        agent: "probe",
        workspace: folder,
        project: folder,
        home: join(folder, ".ai-legion"),
        network: NETWORKLESS,
      },
      ...{ protectedPaths: [], privatePaths: [] },
    };
    const folders = await makeOwnFolders(place);
    const profile = { place, folders, variables, abilities, read: [], network: "off" } as const;
    const sandbox = await createBubblewrap({
      ...profile,
      program,
      hosts: [],
      pass: [],
      description: "",
      confinement: "",
    });
    const run = { cwd: folder, timeoutMs: PROBE_MS, signal: new AbortController().signal };
    const { exitCode, output } = await sandbox.execute(LOOK, run);
    await sandbox.close();
    const shell = output === "bash\n" ? "bash" : "sh";
    if (exitCode === 0) return { works: true, program, abilities: { ...abilities, shell } };
    return { works: false, ...explain(output.trim() || "it does not run a shell", machine) };
  } catch (error) {
    return { works: false, ...explain(messageOf(error), machine) };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function canDisableUserns(program: string): Promise<boolean> {
  const asked = promisify(execFile)(program, ["--help"], { env: {}, timeout: PROBE_MS });
  // One that does not know the word may have said all it knows before it failed.
  const { stdout } = await asked.catch((error: { readonly stdout?: string }) => error);
  return (stdout ?? "").includes("--disable-userns");
}

interface Obstacle {
  readonly reason: string;
  readonly help: string;
}

const SYSCTL = "/proc/sys";

/** @param complaint what bwrap said */
export function explain(complaint: string, { read }: Machine): Obstacle {
  const isOn = (path: string): boolean => Number(read(`${SYSCTL}/${path}`) || "0") > 0;
  const isOff = (path: string): boolean => read(`${SYSCTL}/${path}`).trim() === "0";
  if (/unknown option/i.test(complaint))
    return { reason: `this bubblewrap is too old (${complaint})`, help: "install version 0.5 or newer" };
  if (/proc\b.*(not permitted|denied)|mount proc/i.test(complaint))
    return {
      reason: "it cannot mount a fresh /proc, which a container forbids that masks its own",
      help: "start the container with --security-opt systempaths=unconfined (podman: unmask=ALL)",
    };
  if (isOff("user/max_user_namespaces"))
    return { reason: "user namespaces are off", help: "sysctl user.max_user_namespaces=10000" };
  if (isOff("kernel/unprivileged_userns_clone"))
    return {
      reason: "user namespaces are only for root",
      help: "sysctl kernel.unprivileged_userns_clone=1",
    };
  const isConfined = isOn("kernel/apparmor_restrict_unprivileged_userns");
  // AppArmor lets a namespace be made, and no more.
  const cause = isConfined ? /new namespace/i : /not permitted|denied/i;
  if (/^Seccomp:\s*2/m.test(read("/proc/self/status")) && cause.test(complaint))
    return {
      reason: "a seccomp filter forbids to make namespaces, as in a container",
      help: "start the container with --security-opt seccomp=unconfined",
    };
  if (isConfined)
    return {
      reason: "AppArmor forbids bwrap to make user namespaces, as on Ubuntu since 23.10",
      help: "load a profile for bwrap that has `userns,` or sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    };
  return {
    reason: complaint.split("\n").at(-1)!.slice(0, 300),
    help: "see that `bwrap --unshare-all --ro-bind / / true` works",
  };
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
