// Where a person's word reaches a running legion, however it travelled.

import { hostname } from "node:os";
import { LegionError } from "../base/errors.ts";
import type { ForkOrder } from "../legion/fork.ts";
import type { Legion } from "../legion/legion.ts";
import type { AgentId } from "../domain/message.ts";
import { canBeAborted, liveStatus } from "../legion/status.ts";
import type { Supervised } from "../legion/supervision/supervisor.ts";
import {
  PAUSED,
  changesNothing,
  listIds,
  readDead,
  readForkOrder,
  readOrder,
  readSaid,
  resentOf,
  resolveKnown,
  type ForkAnswer,
  type Obeyed,
  type Order,
  type Resent,
  type Said,
} from "./api/messages.ts";
import { unlessLate } from "./api/timeout.ts";

/** An order that a long step keeps waiting is answered with `soon` after this time. */
const PATIENCE_MS = 2_000;

export interface Desk {
  /** What can be asked for. */
  readonly paths: readonly string[];
  /**
   * Does what is asked and says what came of it, as an object for JSON. Nothing about `body` needs to be checked before.
   * Rejects with USAGE for what makes no sense, with LOCKED if the agent does not run here and nothing was done.
   */
  answer(path: string, body: unknown): Promise<object>;
}

export interface DeskOptions {
  readonly legion: Legion;
  /** Called when the person wants the node to end, after they are answered. */
  readonly onStop: () => void;
}

export function createDesk({ legion, onStop }: DeskOptions): Desk {
  const node = `${process.pid}@${hostname()}`;
  const answers = new Map<string, (body: unknown) => Promise<object>>([
    ["/status", async () => ({ agents: [...legion.agents].map(([id, one]) => liveStatus(id, one, node)) })],
    ["/say", async (body) => ({ ids: await say(legion, readSaid(body), node) })],
    ["/order", async (body) => ({ agents: await obey(legion, readOrder(body)) })],
    ["/resend", async (body) => ({ letters: await resend(legion, readDead(body)) })],
    ["/fork", async (body) => fork(legion, readForkOrder(body))],
    [
      "/stop",
      async () => {
        setImmediate(onStop);
        return { node };
      },
    ],
  ]);
  return {
    paths: [...answers.keys()],
    async answer(path, body) {
      const answer = answers.get(path);
      if (!answer) throw new LegionError("USAGE", `there is no ${JSON.stringify(path)}`);
      return answer(body);
    },
  };
}

async function say({ control, agents, known }: Legion, said: Said, node: string): Promise<readonly string[]> {
  const { content, delivery } = said;
  const targets = resolveKnown(said.targets, known());
  if (delivery !== "abort") return control.say(targets, content);
  // Left in the mailbox of one that rests, it would stop what that one does later.
  const busy = targets.filter((id) => {
    const supervised = agents.get(id);
    return supervised && canBeAborted(liveStatus(id, supervised, node));
  });
  return busy.length === 0 ? [] : control.say(busy, content, delivery);
}

async function obey(legion: Legion, { order, targets }: Order): Promise<readonly Obeyed[]> {
  const { agents, known } = legion;
  const running = [...agents].filter(([, supervised]) => !isStopped(supervised)).map(([id]) => id);
  const ids = targets === "all" ? running : resolveKnown(targets, known());
  const absent = ids.find((id) => !agents.has(id));
  if (absent !== undefined) {
    const absence = `agent ${absent} does not run on this node; it runs ${listIds(running)}`;
    throw new LegionError("LOCKED", absence);
  }
  return Promise.all(ids.map(async (id) => ({ id, outcome: await carryOut(order, id, legion) })));
}

function isStopped({ standing }: Supervised): boolean {
  return standing.state === "stopped";
}

async function carryOut(
  order: Order["order"],
  id: AgentId,
  { agents, dismiss }: Legion,
): Promise<Obeyed["outcome"]> {
  const supervised = agents.get(id)!;
  const conversation = supervised.agent?.memory.conversation;
  const isVain =
    order === "stop" ? isStopped(supervised) : conversation && changesNothing(order, conversation);
  if (isVain) return "already";
  const orders = {
    pause: () => supervised.pause(PAUSED),
    resume: () => supervised.resume(),
    stop: () => dismiss(id),
  };
  const done = orders[order]().then(() => "done" as const);
  return unlessLate(done, PATIENCE_MS, "soon");
}

function resend(legion: Legion, dead: readonly string[]): Promise<readonly Resent[]> {
  return Promise.all(
    dead.map((id) => {
      const resent = resentOf(id, legion.resend(id));
      return unlessLate(resent, PATIENCE_MS, { id, outcome: "soon" as const });
    }),
  );
}

async function fork(legion: Legion, order: ForkOrder): Promise<ForkAnswer> {
  const { to, done } = await legion.fork(order);
  const forked = done.then((facts) => ({ to, outcome: "done" as const, ...facts }));
  // A copy waits for nobody.
  return order.as === undefined ? unlessLate(forked, PATIENCE_MS, { to, outcome: "soon" as const }) : forked;
}
