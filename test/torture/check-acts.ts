// Every call is in the log before it is done, done as often as it may be, and closed by one result.

import type { Call, EventOf } from "../../src/domain/event/event.ts";
import { isLeftOut } from "./carrier.ts";
import type { Past, Told } from "./evidence.ts";
import type { Figures, Report } from "./fault.ts";

/** What came of one call that reaches outside. */
interface Intent {
  readonly call: Call;
  outcome: EventOf<"result">["outcome"] | "left out" | undefined;
  times: number;
}

export function checkActs(
  evidence: Told,
  report: Report,
): Pick<Figures, "intents" | "effects" | "interrupted" | "interruptedDone"> {
  const intents = new Map<string, Intent>();
  for (const [id, agent] of evidence.agents) checkClosing(id, agent, { intents, report });
  for (const { agent, intent, action, parcel } of evidence.effects) {
    const known = intents.get(`${agent} ${intent}`);
    if (known) known.times++;
    else report("effect without intent", `${agent}: ${action} ${intent} for ${parcel}`);
  }
  for (const [key, intent] of intents) checkDone(key, intent, report);
  const unknown = [...intents.values()].filter(({ outcome }) => outcome === "interrupted");
  return {
    intents: intents.size,
    effects: evidence.effects.length,
    interrupted: unknown.length,
    interruptedDone: unknown.filter(({ times }) => times > 0).length,
  };
}

interface Books {
  /** By agent and call. */
  readonly intents: Map<string, Intent>;
  readonly report: Report;
}

/** One result for each call, in order, before anything that another decision could have seen. */
function checkClosing(id: string, { log }: Past, { intents, report }: Books): void {
  let open: readonly Call[] = [];
  let isInterrupted = false;
  for (const event of log.records) {
    if (event.kind === "decision") {
      leave(`decided again at ${event.seq}`);
      open = event.calls;
      isInterrupted = false;
      for (const call of open) intents.set(`${id} ${call.id}`, { call, outcome: undefined, times: 0 });
    } else if (event.kind === "message") {
      leave(`took in mail at ${event.seq}`);
    } else if (event.kind === "result") {
      const [first, ...rest] = open;
      if (event.call !== first?.id)
        report("not closed once", `${id}: result ${event.seq} is not for ${first?.id}`);
      const intent = intents.get(`${id} ${event.call}`);
      if (intent) intent.outcome = isInterrupted || isLeftOut(event.content) ? "left out" : event.outcome;
      isInterrupted ||= event.outcome === "interrupted";
      open = rest;
    }
  }
  leave("ended");
  function leave(then: string): void {
    if (open.length > 0) report("not closed once", `${id}: ${open.length} calls were open when it ${then}`);
    open = [];
  }
}

function checkDone(key: string, { call, outcome, times }: Intent, report: Report): void {
  const { action } = call;
  const isOnce = action === "strike" || action === "askedStrike";
  if (!isOnce && action !== "mark" && action !== "askedMark") return;
  if (outcome === "ok" && times === 0) report("not done", `${action} ${key} is ok`);
  if (outcome === "left out" && times > 0) report("done again", `${action} ${key} was left out, and done`);
  if (isOnce && times > 1) report("done again", `${action} ${key}: ${times} times`);
}
