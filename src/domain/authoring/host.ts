// What a module may ask of the runtime, for one agent and for all of a process.

import type { ProtocolName } from "../event/event.ts";
import type { Invocation } from "./director.ts";
import type { HostMemory, NewContext, NewEntry } from "./memories.ts";
import type { Answering } from "../message/answering.ts";
import type { Network } from "./network.ts";
import type { TaskTemplates } from "../task-templates.ts";
import type { Programs } from "./program.ts";
import type { ServerStatus } from "./server-status.ts";
import type { Touching } from "../policy/touching.ts";
import type { Replacement, Workspace } from "./workspace.ts";

/**
 * A module's durable state: one value per key, part of the agent's log. Changes are staged while an action runs,
 * visible to that action at once, and committed with its `ok` or `idle` result; any other result drops them.
 */
export interface State {
  /** The value as JSON would give it back, `undefined` when absent. People edit state by hand: check its shape. */
  get(key: string): unknown;
  /** `value` has to be JSON. Throws outside an action. */
  set(key: string, value: unknown): void;
  delete(key: string): void;
  /** Least recently changed first. */
  keys(): readonly string[];
}

export interface Peer {
  readonly id: string;
  readonly name: string;
  /** What it is for, in one line; may be empty. */
  readonly description: string;
  readonly running: boolean;
}

/** One action as it is shown to a model or a person. */
export interface ActionSpec {
  readonly name: string;
  readonly description: string;
  /** Other names that mean the same action. */
  readonly aliases: readonly string[];
  /** JSON Schema of the parameters object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** How to write it, as shown by `help` and by errors. */
  readonly usage: string;
}

export interface PastEvent {
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
}

/** The agent's own past, also what was summarised away from its view. */
export interface History {
  /** Events that contain every word of `query`, newest first, at most `limit`. */
  search(query: string, limit: number): Promise<readonly PastEvent[]>;
  /** One event by its number; `undefined` if there is none. */
  open(seq: number): Promise<PastEvent | undefined>;
  /** The newest message of a person or another agent; `undefined` before the first. */
  latestInstruction(): string | undefined;
}

/** What a module may ask of the runtime for all agents of this process together. */
export interface NodeHost {
  readonly network: Network;
  readonly clock: {
    /** Milliseconds since 1970. */
    now(): number;
    /** Resolves after `ms`, or when `signal` aborts. */
    sleep(ms: number, signal: AbortSignal): Promise<void>;
  };
  /** Absolute path of a folder for temporary files; it may be absent, and the next start deletes it. */
  readonly scratch: string;
  /**
   * The environment for a program that lives longer than one action: no secrets, and the mark by which the next start ends
   * it if this process was killed.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** `close` runs when the process stops, after all agents. */
  onClose(close: () => void | Promise<void>): void;
  /** `tell` is called whenever a person asks what runs here: `legion ps`, `legion mcp`. It must not take long, nor throw. */
  onStatus(tell: () => readonly ServerStatus[]): void;
}

export interface Identity {
  readonly id: string;
  /** The display name. */
  readonly name: string;
  readonly description: string;
  /** What the agent is asked to be: the body of its definition. */
  readonly brief: string;
}

/** What a module may ask of the runtime, for one agent. */
export interface Host {
  /** The same object for as long as the agent runs. */
  readonly agent: Identity;
  /** Every action of this agent. */
  readonly actions: readonly ActionSpec[];
  /** How this agent writes its actions, and is shown what came of them; it may change while the agent runs. */
  readonly protocol: ProtocolName;
  /** How to write actions in this agent's protocol. */
  readonly howToAct: string;
  readonly state: State;
  readonly history: History;
  /**
   * What this module found outside the legion, as the agent's log keeps it, or what it recalled, by its keys; `undefined` before it
   * found anything.
   */
  readonly offer: unknown;
  readonly workspace: Workspace;
  /** The same object for all agents of this process. */
  readonly node: NodeHost;
  readonly programs: Programs;
  /** The long-term memories that the agent reaches, the one that it writes to first; may be empty. */
  readonly memories: readonly HostMemory[];
  /** The section of config.yaml that has this module's name; empty if there is none. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Aborts when the running action has to stop. Pass it to every wait. */
  readonly signal: AbortSignal;
  /**
   * Stages `content` for each target (ids, or `all` for every known agent but this one and Control); it goes out with
   * the action's result. Returns the message ids. Throws, saying why, if one of them may not be sent; then none is.
   * `receipts`: what it cites as its evidence, such as `#417`, or `#2.417` of agent 2; none is wrong enough to keep it from being sent.
   */
  send(
    targets: readonly string[] | "all",
    content: string,
    options?: Answering & { readonly receipts?: readonly string[] },
  ): Promise<readonly string[]>;
  /**
   * Stages an entry for the first of `memories`; it goes out with the action's result, word for word, and is as marked as
   * that. Rejects, saying why, if it may not be sent.
   */
  remember(entry: NewEntry): Promise<void>;
  /** Stages a context for the first of `memories`, as `remember` does. */
  putContext(context: NewContext): Promise<void>;
  /** What the agent is at of what it observes, the running call included; absent: nothing. */
  readonly invocation?: Invocation;
  /**
   * Shows whoever watches what the running action is at, such as what a command prints. It is live only: nobody has to see
   * it, no model does, and of much at once only the end is shown. What the action left in the background may go on to tell.
   */
  progress(text: string): void;
  /**
   * Does no rule stand against this? For what a call comes upon that it could not name before: what lies in a folder, where a
   * link or a redirect leads. Paths without links.
   */
  permits(touching: Touching): boolean;
  /** Every known agent, this one included, Control not. */
  peers(): Promise<readonly Peer[]>;
  /** One model call outside the agent's own conversation, metered and limited like every other. */
  complete(prompt: string, options?: { readonly maxOutput?: number }): Promise<string>;
  /** Words the template of that name of an agent whose prompts are worded by templates. Rejects where there is none. */
  word(template: keyof TaskTemplates, variables: Readonly<Record<string, unknown>>): Promise<string>;
  /** How long a text is for the model: close enough to plan by, and free. */
  tokens(text: string): number;
  /** How long the running action's result may be to be shown whole, in tokens; of a longer one the middle is left out. */
  readonly maxTokens: number;
  /**
   * How long the pinned message may be, in tokens. All modules together have a quarter of the model's window: where that is
   * not enough, a module is asked again with its share of it, and of what is still longer the middle is left out. Show what
   * matters most, and say how much more there is.
   */
  readonly maxPinnedTokens: number;
  /**
   * The marks, such as `[redacted:API_KEY]`, that stand for secrets of `text` wherever it is shown or written down; mostly
   * none. Whoever writes a mark in place of such a secret destroys it.
   */
  hides(text: string): readonly string[];
  /** What the agent should work at now: the first objective that its modules name; else its latest instruction. */
  objective(): string | undefined;
  /**
   * Keeps what stands in the workspace before the running action changes it, so that a person can take the change back. Await it
   * before the change; where nothing is kept, `changes` is not called. Rejects where it cannot be kept, and then nothing may be changed.
   */
  replacing(changes: () => Promise<readonly Replacement[]>): Promise<void>;
  /**
   * Keeps a long text, or bytes that are none, beside the log and returns the path of the file, relative to the workspace. What
   * holds a secret is kept without it; bytes that hold one are not kept: the file says so.
   */
  keep(content: string | Uint8Array): Promise<string>;
  /** `close` runs when the agent stops, last registered first. */
  onClose(close: () => void | Promise<void>): void;
}
