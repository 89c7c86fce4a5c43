// What a command may come to run beside what it says itself: what `env`, `sudo` or `bash -c` make of their arguments.

import { HOLE, readCommandLine, type CommandLine, type Words } from "./command-line.ts";

export interface Meaning {
  /** A program and its arguments. */
  readonly words: Words;
  readonly hasHoles: boolean;
  /** Does what runs begin with any of these words? */
  readonly isWithin: boolean;
}

/** Programs that run what their arguments say. */
const RUN_OTHERS = new Set(
  (
    "sudo doas env nice ionice nohup time timeout xargs command exec builtin eval alias trap coproc stdbuf setsid unbuffer " +
    "watch find parallel busybox chroot unshare nsenter runuser su script strace ltrace taskset chrt flock fakeroot bwrap " +
    "bash rbash sh dash ash ksh mksh zsh fish csh tcsh source ."
  ).split(" "),
);
/** Nobody who is honest goes deeper. */
const MAX_DEPTH = 8;
const ANYTHING: Meaning = { words: [HOLE], hasHoles: true, isWithin: false };

/** All that the line may come to run. */
export function meaningsOf({ parts }: CommandLine, depth = 0): readonly Meaning[] {
  if (depth > MAX_DEPTH) return [ANYTHING];
  return parts.flatMap((words) => {
    const hasHoles = words.some((word) => word.includes(HOLE));
    const own = { words, hasHoles, isWithin: false };
    if (!RUN_OTHERS.has(nameOf(words[0]!))) return [own];
    const texts = words.slice(1).map((word) => word.replace(/^\w+=/, ""));
    const inside = texts.filter((text) => /[^\w./-]/.test(text)).map(readCommandLine);
    return [
      own,
      { words: texts, hasHoles, isWithin: true },
      ...inside.flatMap((line) => meaningsOf(line, depth + 1)),
    ];
  });
}

/** A program is the same by its path. */
export function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
