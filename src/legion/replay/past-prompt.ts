// What the model was shown, from the log: system prompt and tools are kept as a blob, pinned messages in the `prompted`
// events, and the turns are a fold of the log up to that moment. The log holds a hash over the turns that were shown, so
// what is given back here is exactly that, or an error.

import { NOOP_OPENING } from "../../agent/think/ask.ts";
import { belongsTo, forkIn, pathTo, type Fork } from "../../past/branch.ts";
import { LegionError } from "../../base/errors.ts";
import type { Event, EventOf, Stamp } from "../../domain/event/event.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { RULES } from "../../domain/supervision.ts";
import type { ModelRequest } from "../../domain/model.ts";
import type { Protocol } from "../../model/protocol/protocol.ts";
import { textProtocol } from "../../model/protocol/text.ts";
import { toolsProtocol } from "../../model/protocol/tools.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { createView, type View } from "../../past/view.ts";

type Prompted = EventOf<"prompted">;

/**
 * The prompt of event `seq`: of a decision, or of the `prompted` event before it. Throws USAGE if it is neither, REFUSED
 * if what was shown is not kept.
 */
export async function promptAt(reader: Reader, agent: AgentId, seq: number): Promise<ModelRequest> {
  const events = await pastOf(reader, agent, seq);
  const prompted = findPrompted(events, seq, displayName(agent));
  const before = events.filter((event) => event.seq < prompted.seq);
  const { system, tools } = await readIntroduction(reader, agent, prompted);
  const isDirected = before.some(({ kind }) => kind === "observed");
  const { turns } = findView(before, prompted, tools.length > 0 ? toolsProtocol : textProtocol);
  const opening = tools.length > 0 || isDirected ? [] : NOOP_OPENING;
  return {
    system,
    tools,
    turns: turns.length > 0 ? turns : opening,
    pinned: pinnedAt([...before, prompted]),
    maxOutput: prompted.reserved.output,
  };
}

/** What leads to event `seq`, on whatever branch it is; if there is none, to the newest one. */
async function pastOf(reader: Reader, agent: AgentId, seq: number): Promise<readonly Event[]> {
  const forks: Fork[] = [];
  const events: Event[] = [];
  for await (const event of reader.events(agent)) {
    if (event.seq > seq) break;
    events.push(event);
    const fork = forkIn(event);
    if (fork) forks.push(fork);
  }
  const path = pathTo(forks, events.at(-1)?.seq);
  return events.filter((event) => belongsTo(path, event) || event.seq === seq);
}

/** The model call that led to the last of `events`. */
function findPrompted(events: readonly Event[], seq: number, name: string): Prompted {
  const last = events.at(-1);
  if (last?.seq !== seq) {
    throw new LegionError("USAGE", `there is no event ${seq}: the log of ${name} ends at ${last?.seq ?? 0}`);
  }
  if (last.kind === "prompted") return last;
  const decisions = events.filter(({ kind }) => kind === "decision");
  if (last.kind !== "decision") {
    const near = decisions.at(-1)?.seq;
    const advice = near === undefined ? "" : `, such as ${near}`;
    throw new LegionError("USAGE", `event ${seq} (${last.kind}) is no decision; name one${advice}`);
  }
  if (last.model === RULES)
    throw new LegionError("REFUSED", `decision ${seq} was made by rules: the model was not asked`);
  const earlier = decisions.at(-2)?.seq ?? 0;
  const prompted = events.findLast((event): event is Prompted & Stamp => event.kind === "prompted");
  if (prompted && prompted.seq > earlier) return prompted;
  throw new LegionError("REFUSED", `the model was not asked for decision ${seq}: an abort came first`);
}

async function readIntroduction(
  reader: Reader,
  agent: AgentId,
  { introduction }: Prompted,
): Promise<Pick<ModelRequest, "system" | "tools">> {
  const text = await reader.blobs(agent).read(introduction);
  if (text === undefined) {
    throw new LegionError("REFUSED", `its system prompt is gone: there is no blob ${introduction}`);
  }
  return JSON.parse(text) as Pick<ModelRequest, "system" | "tools">;
}

/** What the model's window may have been, as far as it matters: small ones show the longest messages without their middle. */
const WINDOWS = [Infinity, 32_768, 32_000, 16_384, 8_192, 8_000, 4_096, 4_000];

/** The view of the agent's conversation whose hash the log names. */
function findView(before: readonly Event[], { prompt, seq }: Prompted, protocol: Protocol): View {
  // A director shows its own words, and nothing of the past.
  if (prompt === "") return createView({ protocol, errors: "keep", window: Infinity });
  for (const window of WINDOWS) {
    for (const errors of ["keep", "forget"] as const) {
      const view = createView({ protocol, errors, window });
      for (const event of before) view.see(event);
      if (view.chain === prompt) return view;
    }
  }
  const what = "a summary, or a question of an action's own";
  throw new LegionError("REFUSED", `event ${seq} was no call for a decision but ${what}, which is not kept`);
}

function pinnedAt(events: readonly Event[]): string {
  let pinned = "";
  for (const event of events) if (event.kind === "prompted") pinned = event.pinned ?? pinned;
  return pinned;
}
