// What torture tests have found, for people.

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
  "two owners",
  "late",
  "effect without intent",
  "done again",
  "not closed once",
  "sequence",
  "state",
  "limit",
];

/** The figures of one or more, added up, as lines of a table. */
export function tableOf(all: readonly Torture[]): string {
  const sum = (figure: (one: Torture) => number): number =>
    all.reduce((total, one) => total + figure(one), 0);
  const faults = all.flatMap(({ violations }) => violations.map(({ fault }) => fault));
  const others = faults.filter((fault) => !COUNTED.includes(fault));
  const happened = sum(({ figures }) => figures.interruptedDone);
  const rows: readonly (readonly [string, number, string?])[] = [
    ...(Object.keys(TROUBLES) as Trouble[]).map(
      (trouble) => [TROUBLES[trouble], sum(({ counts }) => counts[trouble])] as const,
    ),
    ["agents taken over", sum(({ figures }) => figures.takings)],
    ["said and acknowledged", sum(({ figures }) => figures.said)],
    ["applications expected", sum(({ figures }) => figures.expected)],
    ["intents", sum(({ figures }) => figures.intents)],
    ["effects", sum(({ figures }) => figures.effects)],
    ["interrupted", sum(({ figures }) => figures.interrupted), `of which ${happened} had happened`],
    ["model calls", sum(({ figures }) => figures.steps)],
    ["events", sum(({ figures }) => figures.events)],
    ...COUNTED.map((fault) => [fault, faults.filter((other) => other === fault).length] as const),
    ["other violations", others.length],
  ];
  return rows
    .map(([name, count, remark = ""]) =>
      `${name.padEnd(26)}${String(count).padStart(8)}  ${remark}`.trimEnd(),
    )
    .join("\n");
}

/** What went wrong, as far as it can be read at once; empty if nothing did. */
export function complaintOf({ violations, seed, folder }: Torture): string {
  if (violations.length === 0) return "";
  const shown = violations.slice(0, 20).map(({ fault, text }) => `${fault}: ${text}`);
  return [`${violations.length} violations, seed ${seed}, evidence in ${folder}`, ...shown].join("\n");
}

/** Such as `two owners 3, sequence 1`. */
export function faultsOf({ violations }: Pick<Torture, "violations">): string {
  const counts = new Map<Fault, number>();
  for (const { fault } of violations) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return [...counts].map(([fault, count]) => `${fault} ${count}`).join(", ") || "nothing";
}
