// One agent, as a program has it.

import { LegionError } from "../base/errors.ts";
import type { Standing } from "../agent/parts/presence.ts";
import type { ControlState } from "../domain/event/observed.ts";
import { displayName, type AgentId } from "../domain/message/message.ts";
import type { Turn } from "../domain/model.ts";
import type { Legion } from "../legion/legion.ts";
import type { Supervised } from "../legion/supervision/supervisor.ts";
import type { AgentEvent } from "../legion/watching/agent-event.ts";
import { iterateAgentEvents } from "../legion/watching/iterate.ts";
import { subscribeToAgent, type AgentListener } from "../legion/watching/subscribe.ts";
import type { Reader } from "../storage/contract/reader.ts";
import { canBeAborted, liveStatus } from "../legion/status.ts";
import { createInvoke, type ChatMessage } from "./memory/invoking.ts";
import { checkText, createPrompt, type PromptOptions } from "./prompt.ts";
import type { PromptAnswer } from "./prompt-work.ts";

/**
 * An agent of a program.
 *
 * @example
 * const agent = await legion.spawn("assistant");
 * const { text, cost } = await agent.prompt("What does this project do?");
 */
export interface LegionAgent {
  readonly id: AgentId;
  /** `Agent 1`, or its id where that is a word. */
  readonly name: string;
  /** What it is doing, as `legion ps` shows it. */
  readonly standing: Standing;
  /**
   * Says `text` to it as you, and resolves when it rests. Several prompts wait for each other.
   *
   * Rejects with a LegionError whose `code` says why it cannot come to rest: `LIMIT`, a limit parked it; `PARKED`, something
   * else did, or it is paused or halted, and only a person's word wakes it; `REFUSED`, it or the legion is stopped, or its
   * mailbox is full; `LOCKED`, another node runs it now; `USAGE`, there is nothing in `text`. What was said may still be worked
   * at when it is woken. Rejects with the reason of `signal`, or a `TimeoutError`, where those make it give up.
   *
   * @example
   * await agent.prompt("Summarise README.md.", { timeout: 60_000 });
   */
  prompt(text: string, options?: PromptOptions): Promise<PromptAnswer>;
  /**
   * Says `text` to it in the middle of its work: what runs is finished, nothing else of its last decision begins, and follow-ups that
   * were not read yet are withdrawn. Resolves when it is safe in its mailbox; a prompt under way resolves with what comes of it.
   * Rejects with REFUSED if it is stopped or its mailbox is full, with USAGE if there is nothing in `text`.
   *
   * @example
   * const answer = agent.prompt("Repair the tests.");
   * await agent.steer("Leave the snapshots alone.");
   */
  steer(text: string): Promise<void>;
  /** As `steer`, for when it would rest: one follow-up after the other, before the prompt under way resolves. */
  followUp(text: string): Promise<void>;
  /**
   * Has an observer, such as a scribe, take a step of its protocol for a conversation that the program has, as `createInvoker` has it do; `toProcess`
   * is for the two that process a message. What is asked for is safe once it is in the mailbox, and done in the order in which it was
   * asked for.
   *
   * Resolves when it is done and durable. Rejects as `prompt` does, with `LIMIT` or `PARKED` where it waits for a person: it is
   * done when that one goes on. Rejects with USAGE if there is no message to process, for a thread named like two ids with a comma,
   * and for an agent that observes nothing.
   *
   * @example
   * await scribe.invoke("process_message", "support-17", { role: "user", content: "My boat leaks." });
   */
  invoke(control: ControlState, threadId: string, toProcess?: ChatMessage): Promise<void>;
  /** Stops what it is at, if it is at anything; a prompt under way resolves with `reason: "aborted"`. */
  abort(): Promise<void>;
  /**
   * The conversation that its model would be shown now, oldest first: a copy. What opens a prompt and what is pinned is not in
   * it. Throws STORAGE while what is kept of the agent cannot be read, LOCKED where another node runs it.
   */
  messages(): readonly Turn[];
  /**
   * Tells `listener` what happens to it from now on, while it happens; it should be quick. Returns how to stop. A listener that throws
   * or rejects is told nothing more, and nobody else notices.
   *
   * @example
   * const stop = agent.subscribe((event) => {
   *   if (event.kind === "text:delta") process.stdout.write(event.text);
   * });
   */
  subscribe(listener: AgentListener): () => void;
  /**
   * The same for a reader at its own pace, which slows nobody: from the call on, until `signal` aborts, the agent is stopped or the
   * loop is left. Of one that is stopped already there are none.
   *
   * @example
   * for await (const event of agent.events({ signal })) console.log(event.kind);
   */
  events(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<AgentEvent, undefined>;
}

/** Where agents run, and how what is committed of them is read. */
export interface AgentSource {
  readonly legion: Legion;
  readonly reader: Pick<Reader, "events">;
  /** Is the legion stopped, or about to be? */
  readonly isClosed: () => boolean;
}

/** Of one that is hosted. */
export function createLegionAgent({ legion, reader, isClosed }: AgentSource, id: AgentId): LegionAgent {
  const { inspector } = legion;
  const name = displayName(id);
  let newest = legion.agents.get(id);
  const find = (): Supervised | undefined => {
    const found = legion.agents.get(id);
    newest = found ?? newest;
    // A node in Redis that stops gives its agents away, to whoever comes.
    return found ?? (isClosed() ? newest : undefined);
  };
  const hosted = (): Supervised => {
    const supervised = find();
    if (supervised) return supervised;
    throw new LegionError("LOCKED", `${name} is run by another node now`);
  };
  const abort = async (): Promise<void> => {
    // Left in the mailbox of one that rests, it would stop what that one does later.
    if (!hosted().isAsleep && canBeAborted(liveStatus(id, hosted(), "")))
      await legion.control.say([id], "", "abort");
  };
  const say = async (text: string, lane: "steer" | "follow-up"): Promise<void> => {
    checkText(lane === "steer" ? "steer" : "followUp", text);
    if (hosted().standing.state === "stopped") throw new LegionError("REFUSED", `${name} is stopped`);
    await legion.control.say([id], text, lane);
  };
  return {
    id,
    name,
    steer: (text) => say(text, "steer"),
    followUp: (text) => say(text, "follow-up"),
    get standing() {
      return hosted().standing;
    },
    prompt: createPrompt({ id, legion, find, abort }),
    invoke: createInvoke({ id, legion, find }),
    abort,
    messages() {
      const { agent, standing } = hosted();
      if (!agent) throw new LegionError("STORAGE", `${name} is ${standing.state}: ${standing.reason}`);
      return structuredClone(agent.memory.view.turns);
    },
    subscribe: (listener) => subscribeToAgent(inspector, id, listener),
    events({ signal } = {}) {
      const isStopped = find()?.standing.state === "stopped";
      const source = { agent: id, inspector, read: (from: number) => reader.events(id, from) };
      return iterateAgentEvents(source, isStopped ? AbortSignal.abort() : signal);
    },
  };
}
