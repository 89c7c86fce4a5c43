// Projects that speak in the person's name: what is said there was not written on the person's machines.

import { cp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fromLine, toLine } from "../../src/storage/folder/line.ts";
import type { HostileFolder } from "./folder.ts";

const AGENTS = ".ai-legion/agents";

/** Writes every opening of the journals under `folder` anew, as `change` makes it. */
async function reopen(
  folder: string,
  change: (opening: Readonly<Record<string, unknown>>) => object,
): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith(".jsonl")) continue;
    const path = join(entry.parentPath, entry.name);
    const [first = "", ...rest] = (await readFile(path, "utf8")).split("\n");
    const opening = fromLine<Record<string, unknown>>(Buffer.from(first))!;
    await writeFile(path, [toLine(change(opening)).trimEnd(), ...rest].join("\n"));
  }
}

function without(opening: Readonly<Record<string, unknown>>, key: string): object {
  return Object.fromEntries(Object.entries(opening).filter(([name]) => name !== key));
}

const WRITES = [
  ["start", "2", "--model", "offline", "--until-idle"],
  ["start", "--only", "all", "--model", "offline", "--until-idle"],
  ["send", "1", "hello"],
  ["send", "all", "hello"],
  ["pause", "1"],
  ["resume", "2"],
  ["fork", "1", "--at", "2"],
  ["fork", "1", "--at", "2", "--as", "1b"],
] as const;

const says =
  /what you said and were told here was not written on your machines; if you know it, `legion start --trust` takes it on\n$/;

export const MAIL: readonly HostileFolder[] = [
  {
    name: "words of the person bear no code",
    make: ({ project }) => reopen(join(project, AGENTS), (opening) => without(opening, "mac")),
    commands: WRITES,
    says,
  },
  {
    name: "words of the person bear the code of somebody else",
    make: ({ project }) => reopen(join(project, AGENTS), (opening) => ({ ...opening, mac: "0".repeat(64) })),
    commands: WRITES,
    says,
  },
  {
    name: "words of the person bear the code of another log",
    make: ({ project }) =>
      reopen(join(project, AGENTS, "0"), (opening) => ({
        ...opening,
        log: "00000000-0000-4000-8000-000000000000",
      })),
    commands: WRITES,
    says,
  },
  {
    name: "words of the person bear the code of another time",
    make: ({ project }) => reopen(join(project, AGENTS, "0"), (opening) => ({ ...opening, epoch: 999 })),
    commands: WRITES,
    says,
  },
  {
    name: "words of the person are hidden behind a first line that cannot be read",
    make: ({ project }) => reopen(join(project, AGENTS, "0"), (opening) => ({ ...opening, kind: "x" })),
    commands: WRITES,
    says,
  },
  {
    name: "words of the person go on in a segment of somebody else",
    async make({ project }) {
      const log = join(project, AGENTS, "0/log");
      const [own] = await readdir(log);
      const theirs = join(project, "theirs", "log");
      await cp(join(log, own!), join(theirs, "00000050-000.jsonl"));
      await reopen(theirs, (opening) => without(opening, "mac"));
      await cp(theirs, log, { recursive: true });
      await rm(join(project, "theirs"), { recursive: true });
    },
    commands: WRITES,
    says,
  },
  {
    name: "mail to the person bears no code",
    async make({ project }) {
      const [segment] = await readdir(join(project, AGENTS, "0/log"));
      const mailbox = join(project, AGENTS, "0/mailbox");
      await cp(join(project, AGENTS, "0/log", segment!), join(mailbox, "00000050-000.jsonl"));
      await reopen(mailbox, (opening) => without(opening, "mac"));
    },
    commands: WRITES,
    says,
  },
  {
    name: "words of the person are gone, and state of theirs is not",
    async make({ project }) {
      await rm(join(project, AGENTS, "0"), { recursive: true });
      await cp(join(project, AGENTS, "1"), join(project, AGENTS, "0"), { recursive: true });
      await rm(join(project, AGENTS, "0/log"), { recursive: true });
      await writeFile(join(project, AGENTS, "0/goals.json"), '{"goals":[]}');
    },
    commands: WRITES,
    says,
  },
];
