// One owner at a time: in the log, in what the owners were told, and in the world outside.

import type { Event } from "../../src/domain/event/event.ts";
import type { RedisEvidence, RedisPast } from "./evidence.ts";
import type { Report } from "./fault.ts";

/** Returns how often an agent was taken over, or taken anew by the same node. */
export function checkOwners(evidence: RedisEvidence, report: Report): number {
  let takings = 0;
  for (const [id, past] of evidence.agents) takings += checkLog(id, past, report);
  checkAcknowledged(evidence, report);
  checkLate(evidence, report);
  return takings;
}

/** Events without gaps, and epochs that only grow, each begun by an event that says so. */
function checkLog(id: string, { log: { records }, last, isLeased }: RedisPast, report: Report): number {
  let takings = 0;
  let before = { seq: 0, epoch: 0 };
  for (const { seq, epoch, kind } of records) {
    if (seq !== before.seq + 1) report("sequence", `log of ${id}: ${seq} after ${before.seq}`);
    if (epoch < before.epoch)
      report("two owners", `log of ${id}: event ${seq} of epoch ${epoch} after one of ${before.epoch}`);
    if (epoch > before.epoch) takings++;
    if (epoch > before.epoch && kind !== "opened")
      report("two owners", `log of ${id}: epoch ${epoch} begins at ${seq} with a ${kind}`);
    before = { seq, epoch };
  }
  if (last !== before.seq) report("sequence", `log of ${id}: ${before.seq} events, its counter is ${last}`);
  if (isLeased) report("not given back", `the lease of ${id}`);
  return takings;
}

/** What an owner was told is in the log is there, as that owner's. */
function checkAcknowledged({ agents, acknowledged }: RedisEvidence, report: Report): void {
  for (const { agent, seq, epoch, kind } of acknowledged) {
    const found = agents.get(agent)?.log.records[seq - 1];
    if (found?.epoch === epoch && found.kind === kind) continue;
    const there = found ? `a ${found.kind} of epoch ${found.epoch}` : "nothing";
    report(
      "two owners",
      `log of ${agent}: a ${kind} of epoch ${epoch} was acknowledged as ${seq}, there is ${there}`,
    );
  }
}

/** Nothing is done outside under a right after somebody else has spoken under a later one. */
function checkLate({ agents, effects }: RedisEvidence, report: Report): void {
  for (const { agent, epoch, at, intent } of effects) {
    const next = agents.get(agent)!.log.records.find((event) => event.epoch > epoch);
    const lateMs = next ? at - timeOf(next) : 0;
    if (next && lateMs > 0)
      report(
        "late",
        `${agent}: ${intent} was done ${lateMs} ms after event ${next.seq} of epoch ${next.epoch}`,
      );
  }
}

function timeOf({ at }: Event): number {
  return Date.parse(at);
}
