// What the person was told was said is in log 0 under the number that was told, once.

import { read } from "../torture/parcel.ts";
import type { Report } from "./fault.ts";
import type { RedisEvidence } from "./evidence.ts";

export function checkSaid({ agents, fed }: RedisEvidence, report: Report): void {
  const ids = new Map<string, string>();
  const logs: string[] = [];
  for (const event of agents.get("0")!.log.records) {
    if (event.kind === "opened") logs.push(event.log);
    if (event.kind !== "notice") continue;
    for (const { id, content } of event.sends ?? []) {
      const parcel = read(content);
      if (parcel) ids.set(parcel.name, id);
    }
  }
  if (new Set(logs).size < logs.length) report("sequence", "agent 0 went back to an earlier log");
  for (const { name, said, id } of fed)
    if (said && ids.get(name) !== id)
      report("lost", `${name} was acknowledged as ${id} and stands in log 0 as ${ids.get(name)}`);
}
