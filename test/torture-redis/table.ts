// What torture tests have found, for people.

import {
  asTable,
  faultRows,
  laneRows,
  memoryRows,
  MEMORY_FAULTS,
  questionRows,
  knotRows,
  restRows,
} from "../torture/summary.ts";
import type { Torture } from "./campaign.ts";
import type { Fault } from "./fault.ts";
import type { Trouble } from "./nemesis.ts";

const TROUBLES: Readonly<Record<Trouble, string>> = {
  kill: "SIGKILL of a node",
  stop: "SIGSTOP past its leases",
  cut: "cut off from Redis",
  leave: "stopped and started",
  redis: "SIGKILL of Redis",
};

const COUNTED: readonly Fault[] = [
  "lost",
  "twice",
  "out of order",
  "shown early",
  "withdrawn",
  "not stopped",
  "two owners",
  "late",
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
  "state",
  "limit",
];

/** The figures of one or more, added up, as lines of a table. */
export function tableOf(all: readonly Torture[]): string {
  const sum = (figure: (one: Torture) => number): number =>
    all.reduce((total, one) => total + figure(one), 0);
  const happened = sum(({ figures }) => figures.interruptedDone);
  return asTable([
    ...(Object.keys(TROUBLES) as Trouble[]).map(
      (trouble) => [TROUBLES[trouble], sum(({ counts }) => counts[trouble])] as const,
    ),
    ["agents taken over", sum(({ figures }) => figures.takings)],
    ["said and acknowledged", sum(({ figures }) => figures.said)],
    ["applications expected", sum(({ figures }) => figures.expected)],
    ["intents", sum(({ figures }) => figures.intents)],
    ["effects", sum(({ figures }) => figures.effects)],
    ["interrupted", sum(({ figures }) => figures.interrupted), `of which ${happened} had happened`],
    ...questionRows(all),
    ...laneRows(all),
    ...memoryRows(all),
    ...restRows(all),
    ...knotRows(all),
    ["model calls", sum(({ figures }) => figures.steps)],
    ["events", sum(({ figures }) => figures.events)],
    ...faultRows(all, COUNTED),
  ]);
}

/** Such as `two owners 3, sequence 1`. */
export function faultsOf({ violations }: Pick<Torture, "violations">): string {
  const counts = new Map<Fault, number>();
  for (const { fault } of violations) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return [...counts].map(([fault, count]) => `${fault} ${count}`).join(", ") || "nothing";
}
