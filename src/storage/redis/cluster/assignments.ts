// The agents that a node could run, and which of them it runs.
//
//   W3. Nobody waits for balance: an agent that no other node has room for is taken above the share.

import type { AgentId } from "../../../domain/message/message.ts";
import { createPost, type Post, type SlotWork } from "./slot.ts";
import type { NodeRecord } from "../../contract/nodes.ts";

export interface CrewOptions extends Omit<SlotWork, "onChange"> {
  /** The id of this node. */
  readonly self: string;
  /** Agents that this node has plans for. */
  readonly candidates: readonly AgentId[];
  /** Is nothing in the way of running it here? One that is bound to another workspace is. */
  mayRunHere(agent: AgentId): boolean;
  /** Those are handed over first. */
  isIdle?(agent: AgentId): boolean;
}

export interface Crew {
  /** How many agents run here. Those that are asked for may be another node's. */
  size(): number;
  readonly settled: Promise<void>;
  /** Which agents it makes sense to leave to this node. */
  able(): readonly AgentId[];
  trouble(agent: AgentId): string | undefined;
  /** Takes what is free up to this node's share, and hands over what is above it. */
  level(nodes: readonly NodeRecord[]): void;
  /** In so much time the next agent that is not due yet will be. */
  nextDueMs(): number;
  /** So much time has passed. */
  pass(ms: number): void;
  /** Somebody says that nobody has the agent any more. */
  noteFree(agent: AgentId): void;
  giveBack(agent: AgentId): Promise<void>;
  /** Takes nothing any more and gives everything back. Resolves with what failed at that. */
  dismiss(): Promise<readonly unknown[]>;
  /** This node has a plan for one more agent. */
  add(agent: AgentId): void;
  /** It has none any more. */
  drop(agent: AgentId): Promise<void>;
}

const BEGIN_AT_ONCE = 32;
const HAND_OVER_AT_ONCE = 8;

export function createCrew(options: CrewOptions): Crew {
  const { self, mayRunHere, isIdle } = options;
  const busy = new Set<Post>();
  const settling = createSettling(options.candidates);
  let balance = weigh([], self);
  let queue: Post[] = [];
  let isDismissed = false;

  const fill = (): void => {
    while (!isDismissed) {
      const [post] = queue;
      const taking = among(busy, "taking").length;
      if (!post || taking === BEGIN_AT_ONCE) return;
      const isWanted = busy.size < balance.cap || !balance.hasRoomElsewhere(post.agent);
      // Another node may have what is asked for here: then there is room again.
      if (!isWanted && taking > 0) return;
      queue.shift();
      if (!isWanted) settling.note(post.agent);
      else if (post.isDue) void post.take();
    }
  };
  const handOver = (): void => {
    if (isDismissed) return;
    // What fails at that is the post's trouble.
    for (const post of surplusOf(busy, balance, isIdle)) post.giveBack().catch(() => undefined);
  };
  const onChange = (post: Post): void => {
    if (post.state === "taking") return void busy.add(post);
    if (post.state === "free") busy.delete(post);
    if (post.state === "running" || !post.isDue) settling.note(post.agent);
    fill();
    handOver();
  };
  const { posts, ...each } = createPosts((agent) => createPost(agent, { ...options, onChange }));
  options.candidates.forEach(each.add);
  return {
    ...each,
    size: () => busy.size - among(busy, "taking").length,
    settled: settling.done,
    able: () =>
      [...posts.values()].flatMap((post) => (post.isAble && mayRunHere(post.agent) ? post.agent : [])),
    level(nodes) {
      balance = weigh(nodes, self);
      for (const agent of posts.keys()) if (!mayRunHere(agent)) settling.note(agent);
      const due = [...posts.values()].filter(({ agent, isDue }) => isDue && mayRunHere(agent));
      queue = fromOwnPlace(due, nodes, self);
      fill();
      handOver();
    },
    async dismiss() {
      isDismissed = true;
      const endings = await Promise.allSettled([...posts.values()].map((post) => post.giveBack()));
      settling.finish();
      return endings.flatMap((ending) => (ending.status === "rejected" ? [ending.reason] : []));
    },
  };
}

function createPosts(create: (agent: AgentId) => Post) {
  const posts = new Map<AgentId, Post>();
  return {
    posts,
    add: (agent: AgentId): void => void posts.set(agent, create(agent)),
    async drop(agent: AgentId): Promise<void> {
      const post = posts.get(agent);
      posts.delete(agent);
      await post?.giveBack();
    },
    trouble: (agent: AgentId) => posts.get(agent)?.trouble,
    nextDueMs(): number {
      let next = Infinity;
      for (const { dueMs } of posts.values()) if (dueMs > 0 && dueMs < next) next = dueMs;
      return next;
    },
    pass: (ms: number) => posts.forEach((post) => post.pass(ms)),
    noteFree: (agent: AgentId) => posts.get(agent)?.noteFree(),
    giveBack: async (agent: AgentId) => posts.get(agent)?.giveBack(),
  };
}

/** Nodes that begin together begin with different agents; else all but one of them would ask for each in vain. */
function fromOwnPlace(posts: readonly Post[], nodes: readonly NodeRecord[], self: string): Post[] {
  const place = nodes.findIndex(({ id }) => id === self);
  const start = Math.floor((posts.length * place) / nodes.length);
  return [...posts.slice(start), ...posts.slice(0, start)];
}

/** Those that another node had better run, a few at a time. */
function surplusOf(
  busy: ReadonlySet<Post>,
  { cap, hasRoomElsewhere }: Balance,
  isIdle?: CrewOptions["isIdle"],
): readonly Post[] {
  const leaving = among(busy, "ending").length;
  const count = Math.min(busy.size - leaving - cap, HAND_OVER_AT_ONCE - leaving);
  if (count <= 0) return [];
  const movable = among(busy, "running").filter(({ agent }) => hasRoomElsewhere(agent));
  const isRestless = new Map(movable.map((post) => [post, isIdle?.(post.agent) ? 0 : 1]));
  return movable.sort((a, b) => isRestless.get(a)! - isRestless.get(b)!).slice(0, count);
}

function among(posts: ReadonlySet<Post>, state: Post["state"]): Post[] {
  return [...posts].filter((post) => post.state === state);
}

/** Resolves `done` when every one of `agents` was noted. */
function createSettling(agents: readonly AgentId[]) {
  const left = new Set(agents);
  let finish = (): void => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  if (left.size === 0) finish();
  return {
    done,
    finish: () => finish(),
    note(agent: AgentId): void {
      left.delete(agent);
      if (left.size === 0) finish();
    },
  };
}

interface Balance {
  /** How many agents this node may take while another has room for them. */
  readonly cap: number;
  /** Is another node able to run `agent`, and below its own cap? */
  hasRoomElsewhere(agent: AgentId): boolean;
}

/**
 * An agent counts for each node that is able to run it as a part of one, the same for all of them: 9 agents of which 3 are
 * bound to one of two nodes are 6 for that node and 3 for the other. As caps are rounded up, every agent finds a place.
 */
export function weigh(nodes: readonly NodeRecord[], self: string): Balance {
  const takers = new Map<AgentId, NodeRecord[]>();
  for (const node of nodes) {
    for (const agent of node.able) {
      const others = takers.get(agent);
      if (others) others.push(node);
      else takers.set(agent, [node]);
    }
  }
  const caps = new Map(nodes.map((node) => [node.id, capOf(node, takers)]));
  return {
    cap: caps.get(self) ?? 0,
    hasRoomElsewhere: (agent) =>
      (takers.get(agent) ?? []).some(({ id, agents }) => id !== self && agents < caps.get(id)!),
  };
}

/** Thirds that add up to a whole must not be rounded up to the next. */
const ROUNDING = 1e-6;

function capOf({ able }: NodeRecord, takers: ReadonlyMap<AgentId, readonly NodeRecord[]>): number {
  let share = 0;
  for (const agent of able) share += 1 / takers.get(agent)!.length;
  return Math.ceil(share - ROUNDING);
}
