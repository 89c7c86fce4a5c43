// A torture test from its seed to its figures.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fault } from "./fault.ts";
import { wage, type Campaign, type Outcome } from "./nemesis.ts";
import { buildProgram, type Change } from "./program.ts";
import { CLOSED_AT_ONCE } from "./rests.ts";
import { seeded } from "./seeded.ts";
import {
  asTable,
  faultRows,
  laneRows,
  memoryRows,
  MEMORY_FAULTS,
  questionRows,
  knotRows,
  restRows,
} from "./summary.ts";

export interface TortureOptions extends Pick<Campaign, "settleMs" | "onKill" | "temper" | "lanes"> {
  readonly seed: number;
  readonly lives: (random: () => number) => Campaign["next"];
  /** None for the runtime as it is. */
  readonly changes?: readonly Change[];
  /** `failed`: what is on the disk then, for whoever looks for the reason. */
  readonly keep: "failed" | "nothing";
}

export interface Torture extends Outcome {
  readonly seed: number;
  /** Where the evidence is, if it was kept. */
  readonly folder: string | undefined;
}

/** However few they are, that they rest is kept. */
const CLOSED: readonly Change[] = [
  ...CLOSED_AT_ONCE,
  {
    file: "src/storage/files/resting.ts",
    line: "export const MANY = 32;",
    instead: "export const MANY = 0;",
  },
];

export async function torture(options: TortureOptions): Promise<Torture> {
  const { seed, lives, changes = [], keep } = options;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "legion-torture-")));
  let isKept = false;
  try {
    const program = join(folder, "process.mjs");
    await buildProgram({
      entry: "test/torture/process.ts",
      outfile: program,
      changes: [...CLOSED, ...changes],
    });
    const random = seeded(seed);
    const outcome = await wage({ ...options, folder, program, random, next: lives(random) });
    isKept = keep === "failed" && outcome.violations.length > 0;
    return { ...outcome, seed, folder: isKept ? folder : undefined };
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

const COUNTED: readonly Fault[] = [
  "lost",
  "twice",
  "out of order",
  "shown early",
  "withdrawn",
  "not stopped",
  "effect without intent",
  "done again",
  "unapproved",
  "false alarm",
  "wrong verdict",
  "verdict lost",
  "question",
  "not closed once",
  ...MEMORY_FAULTS,
  "sequence",
  "unreadable",
  "state",
];

/** The figures of one or more, added up, as lines of a table. */
export function tableOf(all: readonly Torture[]): string {
  const sum = (figure: (one: Torture) => number): number =>
    all.reduce((total, one) => total + figure(one), 0);
  const happened = sum(({ figures }) => figures.interruptedDone);
  return asTable([
    ["kills", sum(({ kills }) => kills), `in ${sum(({ lives }) => lives)} lives`],
    ["applications expected", sum(({ figures }) => figures.expected)],
    ["intents", sum(({ figures }) => figures.intents)],
    ["effects", sum(({ figures }) => figures.effects)],
    ["interrupted", sum(({ figures }) => figures.interrupted), `of which ${happened} had happened`],
    ...questionRows(all),
    ...laneRows(all),
    ...memoryRows(all),
    ...restRows(all),
    ...knotRows(all),
    ["leftovers of dead writers", sum(({ figures }) => figures.leftovers)],
    ["events", sum(({ figures }) => figures.events)],
    ...faultRows(all, COUNTED),
  ]);
}
