// Control is told of agents that wait for each other only where they did, and nobody but a person could end that.

import { falseAlarms, toldIn } from "../legion/knots/check-knots.ts";
import type { Told } from "./evidence.ts";
import type { KnotFigures, Report } from "./fault.ts";

export function checkKnots({ agents }: Pick<Told, "agents">, report: Report): KnotFigures {
  const logs = new Map([...agents].map(([id, { log }]) => [id, log.records]));
  const control = logs.get("0") ?? [];
  for (const alarm of falseAlarms(logs, control)) report("false alarm", alarm);
  const told = toldIn(control).map((open) => open.join());
  if (new Set(told).size < told.length) report("false alarm", "Control was told of the same knot twice");
  return { knots: told.length };
}
