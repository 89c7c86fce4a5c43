// What an agent that does nothing waits for, of whom and since when, and what would let it go on; and who waits for each other.

import { z } from "zod";
import type { AgentState, ReachedLimit } from "../domain/inspection.ts";
import { isMemoryId } from "../domain/memory/memory-id.ts";
import { CONTROL, type AgentId } from "../domain/message/message.ts";
import { questionId } from "../domain/policy/verdict.ts";
import type { SpendingLimit } from "../base/errors.ts";
import type { ConversationAtRest } from "../past/digest/at-rest.ts";
import type { PeerTraffic } from "../past/digest/traffic.ts";
import type { Send } from "../past/mail/sends.ts";
import { openQuestion } from "../past/questions.ts";

export const waitSchema = z
  .object({
    for: z
      .enum(["mail", "reply", "delivery", "answer", "word", "limit", "try", "disk", "start"])
      .describe(
        "mail: of anybody; reply: of those that it wrote to since it heard from them; delivery: of what it sent; answer: to its " +
          "question; word: of the person; limit: a higher one, or the end of its day or month; try: the next one.",
      ),
    agents: z.array(z.string()).readonly().optional().describe("Of whom, where that is known."),
    since: z.string().nullable().describe("ISO 8601; null if nobody knows."),
    way: z.string().describe("What would let it go on: a command, or what has to happen; may be empty."),
  })
  .readonly();

export type Wait = z.output<typeof waitSchema>;

/** How an agent stands. */
export interface WaitingAgent {
  readonly id: AgentId;
  readonly state: AgentState;
  readonly since: string | null;
  readonly unread: number;
  readonly undelivered: readonly Pick<Send, "to">[];
  readonly conversation: ConversationAtRest;
  readonly peers: ReadonlyMap<AgentId, PeerTraffic>;
}

/** What matters most is first; empty for one that is at work. */
export function waitsOf(agent: WaitingAgent): readonly Wait[] {
  const { id, since, undelivered, unread } = agent;
  const main = mainWait(agent);
  if (!main) return [];
  const isHeld = agent.conversation.run.mode === "held";
  // What is said to the person goes on; that it has arrived is noted once all before it has.
  const to = [...new Set(undelivered.map((send) => send.to))].filter((peer) => !isHeld || peer !== CONTROL);
  const delivery: readonly Wait[] =
    to.length === 0
      ? []
      : [
          {
            for: "delivery",
            agents: to,
            since,
            way: isHeld ? `legion mode ${id} usual` : "they can take it in again",
          },
        ];
  const isAtRest = agent.state === "idle" || agent.state === "stopped";
  const replies = isAtRest && unread === 0 ? repliesTo(agent) : [];
  const mail: readonly Wait[] =
    agent.state === "idle" ? [{ for: "mail", since, way: `legion send ${id} <text>` }] : [];
  return [...main, ...delivery, ...replies, ...mail];
}

function mainWait({
  id,
  state,
  since,
  conversation: { halt, questions },
}: WaitingAgent): readonly Wait[] | undefined {
  const question = halt ? undefined : openQuestion(questions);
  const person = { agents: [CONTROL], since };
  const answer: readonly Wait[] = question
    ? [
        {
          for: "answer",
          ...person,
          since: question.at,
          way: `legion approve ${questionId({ agent: id, seq: question.seq })}`,
        },
      ]
    : [];
  switch (state) {
    case "idle":
      return [];
    case "asking":
      return question ? answer : [{ for: "word", ...person, way: "type what it does next" }];
    case "retrying":
      return [{ for: "try", since, way: "" }];
    case "paused":
      return [{ for: "word", ...person, way: `legion resume ${id}` }];
    case "parked":
      return [
        halt?.reason === "parked-limit"
          ? { for: "limit", ...person, way: wayPast(halt, id) }
          : { for: "word", ...person, way: `legion resume ${id}` },
      ];
    case "halted":
      return [{ for: halt?.reason === "halted" ? "word" : "disk", ...person, way: `legion resume ${id}` }];
    case "stopped":
      return [{ for: "start", ...person, way: "legion start" }, ...answer];
    default:
      return undefined;
  }
}

const RAISED: Readonly<Record<SpendingLimit, string>> = {
  steps: "steps=+100",
  tokens: "tokens=+1000000",
  cost: "cost=+1",
  time: "time=+1h",
};

/** What lets one go on that stands still at a limit. What all of the person's agents may spend is a setting of theirs. */
export function wayPast({ limit, until, shared }: ReachedLimit, id: AgentId): string {
  if (until !== undefined) return `it begins anew at ${until}; the limit stands in your own config.yaml`;
  const whose = shared ? "" : ` ${id}`;
  return `legion limits${whose} ${limit === undefined ? "<limits>" : RAISED[limit]}`;
}

/** Of agents that it wrote to and that have said nothing since. What it told the person is no question to them. */
function repliesTo({ peers }: WaitingAgent): readonly Wait[] {
  const silent = [...peers].filter(
    ([peer, { sentAt, takenAt }]) => peer !== CONTROL && !isMemoryId(peer) && sentAt > takenAt,
  );
  if (silent.length === 0) return [];
  const since = silent.map(([, { sentAt }]) => sentAt).reduce((a, b) => (a < b ? a : b));
  return [{ for: "reply", agents: silent.map(([peer]) => peer), since, way: "they write to it" }];
}

interface Waiting {
  readonly id: AgentId;
  readonly state: AgentState;
  readonly unread: number;
  readonly waits: readonly Wait[];
}

/** Agents at rest of which each waits for a reply of the next one, and the last for one of the first; each agent in one of them. */
export function circlesAmong(agents: readonly Waiting[]): readonly (readonly AgentId[])[] {
  const awaited = new Map(
    agents
      .filter(({ state, unread }) => state === "idle" && unread === 0)
      .map(({ id, waits }) => [
        id,
        waits.flatMap((wait) => (wait.for === "reply" ? (wait.agents ?? []) : [])),
      ]),
  );
  const circles: AgentId[][] = [];
  const done = new Set<AgentId>();
  for (const start of awaited.keys()) {
    const circle = done.has(start) ? undefined : circleFrom(start, awaited, done);
    if (circle) circles.push(circle);
  }
  return circles;
}

/** Looked for in depth; whoever was seen is not looked at again. */
function circleFrom(
  start: AgentId,
  awaited: ReadonlyMap<AgentId, readonly AgentId[]>,
  done: Set<AgentId>,
): AgentId[] | undefined {
  const path: AgentId[] = [start];
  const left = [[...(awaited.get(start) ?? [])]];
  done.add(start);
  while (path.length > 0) {
    const next = left.at(-1)!.pop();
    if (next === undefined) {
      path.pop();
      left.pop();
    } else if (path.includes(next)) return path.slice(path.indexOf(next));
    else if (awaited.has(next) && !done.has(next)) {
      done.add(next);
      path.push(next);
      left.push([...awaited.get(next)!]);
    }
  }
  return undefined;
}
