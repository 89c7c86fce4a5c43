import { spawnSync } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { afterAll, describe, expect, it } from "vitest";
import { bubblewrapIsThere } from "../opened.ts";
import { isRoot, measure, shown, type Figures } from "./measure.ts";

interface Hog {
  readonly name: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly expected: (figures: Figures) => boolean;
}

const HOGS: readonly Hog[] = [
  {
    name: "a fork bomb",
    command: "bomb() { bomb | bomb & }; bomb; sleep 1; echo SURVIVED; sleep 1000",
    timeoutMs: 4_000,
    expected: ({ processes }) => processes < 3_000,
  },
  {
    name: "1 GB of output",
    command: "head -c 1G /dev/zero",
    timeoutMs: 30_000,
    expected: ({ ended, memory }) => ended === "too much output" && memory < 100,
  },
  {
    name: "one that ignores SIGTERM",
    command: "trap '' TERM INT HUP; while :; do sleep 1; done",
    timeoutMs: 500,
    expected: ({ ended, ms }) => ended === "timeout" && ms < 8_000,
  },
  {
    name: "processes that leave it by setsid",
    command:
      "for n in 1 2 3; do setsid sh -c 'trap \"\" TERM; env -i setsid sleep 1000' & done; sleep 0.2; echo begun",
    timeoutMs: 10_000,
    expected: ({ exitCode, output }) => exitCode === 0 && output === "begun\n",
  },
  {
    name: "a file of more than 1 GiB",
    command: "head -c 1100M /dev/zero > file; echo $?; stat -c %s file; rm file",
    timeoutMs: 30_000,
    expected: ({ output }) => output.includes(`${1024 ** 3}\n`),
  },
  {
    name: "a program that takes all memory",
    command: "perl -e '$all = q(a) x (3 * 1024**3)'; echo ended $?",
    timeoutMs: 30_000,
    expected: ({ output }) => /ended [1-9]/.test(output),
  },
];

const users = (["this user", "another user"] as const).filter((as) => as === "this user" || isRoot);
if (!isRoot)
  console.warn("NOT ROOT: WHAT A COMMAND CAN TAKE IS MEASURED AS THIS USER ALONE, AND WITHOUT A FULL DISK.");

describe.runIf(bubblewrapIsThere)("hostile: sandbox", () => {
  const lines: string[] = [];
  afterAll(() => console.log(`What a command can take:\n${lines.join("\n")}`));

  for (const as of users) {
    it.each(HOGS)(
      `$name is contained, as ${as} (E2, E3, E4, E9)`,
      async ({ name, command, timeoutMs, expected }) => {
        const figures = await measure(command, { as, timeoutMs });
        lines.push(shown(name, as, figures));
        expect(figures).toSatisfy(expected);
        expect(figures.left).toBeLessThan(40);
      },
    );
  }

  it.runIf(isRoot)("a full disk is left to others before it is full", async () => {
    const disk = await realpath(await mkdtemp("/var/tmp/legion-disk-"));
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=400m,mode=777", "none", disk]).status).toBe(0);
    try {
      const command = "for n in $(seq 100); do head -c 4M /dev/zero > $n; sleep 0.02; done";
      for (const as of users) {
        const figures = await measure(`rm -f *; ${command}`, { as, timeoutMs: 30_000, workspace: disk });
        lines.push(shown("a full disk", as, figures));
        expect(figures.ended).toBe("disk full");
        spawnSync("sh", ["-c", `rm -rf ${disk}/* ${disk}/.ai-legion`]);
      }
    } finally {
      spawnSync("umount", [disk]);
      await rm(disk, { recursive: true });
    }
  });
});
