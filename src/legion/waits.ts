// What an agent that does nothing waits for, of whom and since when, and what would let it go on.

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
    messages: z
      .array(z.string())
      .readonly()
      .optional()
      .describe("Of a reply: the messages that need it, where any do."),
    ties: z
      .literal(true)
      .optional()
      .describe(
        "Of such a reply: it may be of a knot, since the agent rests and no person has spoken to it since it asked.",
      ),
    standing: z
      .enum(["stopped", "parked", "paused", "halted"])
      .optional()
      .describe(
        "Of such a reply: how the agent stands that is to write it, where it does not go on by itself.",
      ),
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
  /** Will nothing but mail let it go on, as far as its log and who runs it know? */
  readonly rests: boolean;
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
  const requests = requestsOf(agent);
  const asked = new Set(requests.flatMap(({ agents }) => agents ?? []));
  const replies = isAtRest && unread === 0 ? repliesTo(agent, asked) : [];
  const mail: readonly Wait[] =
    agent.state === "idle" ? [{ for: "mail", since, way: `legion send ${id} <text>` }] : [];
  return [...main, ...delivery, ...requests, ...replies, ...mail];
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

/** One for each who is to answer, whom it has asked longest first. */
function requestsOf({ conversation, rests, unread }: WaitingAgent): readonly Wait[] {
  const mayTie = rests && unread === 0;
  const requests = new Map<AgentId, { since: string; messages: string[]; ties: true | undefined }>();
  for (const [id, { to, since, isUntied }] of conversation.waiting.asked) {
    const known = requests.get(to) ?? { since, messages: [], ties: undefined };
    known.messages.push(id);
    if (mayTie && !isUntied) known.ties = true;
    requests.set(to, known);
  }
  return [...requests].map(([to, { ties, ...request }]) => ({
    ...{ for: "reply", agents: [to], ...request, way: "they answer it" },
    ...(ties && { ties }),
  }));
}

const STILL: readonly AgentState[] = ["stopped", "parked", "paused", "halted"];

/** With how those stand who are asked, where a legion as a whole is told of. */
export function withStandings<
  A extends Pick<WaitingAgent, "id" | "state"> & { readonly waits: readonly Wait[] },
>(agents: readonly A[]): readonly A[] {
  const still = new Map(agents.flatMap(({ id, state }) => (STILL.includes(state) ? [[id, state]] : [])));
  const named = (wait: Wait, state: AgentState): Wait => {
    const standing = wait.messages ? still.get(wait.agents?.[0] ?? "") : undefined;
    // Of a legion that nobody runs that would be told of everybody.
    const isPlain = standing === undefined || (standing === "stopped" && state === "stopped");
    return isPlain ? wait : { ...wait, standing: standing as Wait["standing"] };
  };
  const asks = (agent: A): boolean => agent.waits.some(({ messages }) => messages);
  return agents.map((agent) =>
    asks(agent) ? { ...agent, waits: agent.waits.map((wait) => named(wait, agent.state)) } : agent,
  );
}

/** Of agents that it wrote to and that have said nothing since. What it told the person is no question to them. */
function repliesTo({ peers }: WaitingAgent, asked: ReadonlySet<AgentId>): readonly Wait[] {
  const silent = [...peers].filter(
    ([peer, { sentAt, takenAt }]) =>
      peer !== CONTROL && !isMemoryId(peer) && !asked.has(peer) && sentAt > takenAt,
  );
  if (silent.length === 0) return [];
  const since = silent.map(([, { sentAt }]) => sentAt).reduce((a, b) => (a < b ? a : b));
  return [{ for: "reply", agents: silent.map(([peer]) => peer), since, way: "they write to it" }];
}
