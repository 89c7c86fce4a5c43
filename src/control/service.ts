// What a running legion does with what it is asked: the table of routes, carried out.

import { hostname } from "node:os";
import { LegionError } from "../base/errors.ts";
import type { LimitsChoice } from "../domain/limits.ts";
import { displayName, type AgentId } from "../domain/message/message.ts";
import type { ForkOrder } from "../legion/fork.ts";
import type { Legion } from "../legion/legion.ts";
import { limitAgent } from "../legion/hosting/limiting.ts";
import type { Spawner } from "../legion/opening/spawner.ts";
import { limitsHeld, limitsNotice } from "../past/limits/held-limits.ts";
import { canBeAborted, liveStatus } from "../legion/status.ts";
import type { Supervised } from "../legion/supervision/supervisor.ts";
import { PAUSED, changesNothing, ofAll, resentOf, listIds, resolveKnown, unlessLate } from "./api/orders.ts";
import type {
  ForkAnswer,
  Limited,
  NodeApi,
  Obeyed,
  Order,
  ProgramMessage,
  RelayAnswer,
  Resent,
  PersonMessage,
  Targets,
} from "./api/routes.ts";

/** An order that a long step keeps waiting is answered with `soon` after this time. */
const PATIENCE_MS = 2_000;

export interface ServiceOptions {
  readonly legion: Legion;
  /** Called when the person wants the node to end, after they are answered. */
  readonly onStop: () => void;
  /** Hosts agents for other programs; absent: this node takes none. */
  readonly spawner?: Spawner;
}

const TAKES_NONE = "the node that runs here takes no more agents; `legion start` hosts one that does";

/** Every method but `status` and `stop` rejects with USAGE for unknown agents, with LOCKED for those that others run. */
export function createService({ legion, onStop, spawner }: ServiceOptions): NodeApi {
  const node = `${process.pid}@${hostname()}`;
  return {
    status: async () => ({
      agents: await legion.statuses(node),
      servers: legion.servers().map((server) => ({ ...server, node })),
      limits: legion.limiting.limits,
    }),
    say: async (said) => ({ ids: await say(legion, said, node) }),
    relay: (said) => relay(legion, said),
    spawn: (order) => spawner?.spawn(order) ?? Promise.reject(new LegionError("REFUSED", TAKES_NONE)),
    wake: async ({ targets }) => {
      const named = resolveKnown(targets, legion.known());
      return { remarks: spawner ? await spawner.wake(named) : [TAKES_NONE] };
    },
    answer: async (answered) => ({ id: await legion.control.answer(answered) }),
    mode: async ({ targets, mode }) => ({
      ids: await legion.control.switchMode(resolveKnown(targets, legion.known()), mode),
    }),
    limits: async ({ targets, limits: said }) => {
      if (targets !== undefined)
        return { agents: await limit(legion, targets, said), legion: legion.limiting.limits };
      return { agents: [], legion: await legion.limiting.limit(ofAll(said)) };
    },
    order: async (order) => ({ agents: await obey(legion, order) }),
    resend: async ({ dead }) => ({ letters: await resend(legion, new Set(dead)) }),
    fork: (order) => fork(legion, order),
    async undo({ what }) {
      const done = legion.undo(what).then((report) => ({ outcome: "done" as const, ...report }));
      const answer = await unlessLate(done, PATIENCE_MS, undefined);
      return answer ?? { outcome: "soon", waitsFor: legion.undoWaitsFor() };
    },
    async stop() {
      setImmediate(onStop);
      return { node };
    },
  };
}

async function say(
  { control, agents, known }: Legion,
  said: PersonMessage,
  node: string,
): Promise<readonly string[]> {
  const { content, delivery } = said;
  const targets = resolveKnown(said.targets, known());
  if (delivery !== "abort") return control.say(targets, content, delivery);
  // Left in the mailbox of one that rests, it would stop what that one does later.
  const busy = targets.filter((id) => {
    const supervised = agents.get(id);
    return supervised && !supervised.isAsleep && canBeAborted(liveStatus(id, supervised, node));
  });
  return busy.length === 0 ? [] : control.say(busy, content, delivery);
}

async function relay({ control, known }: Legion, { targets, ...said }: ProgramMessage): Promise<RelayAnswer> {
  return control.relay({ targets: resolveKnown(targets, known()), ...said });
}

async function obey(legion: Legion, { order, targets }: Order): Promise<readonly Obeyed[]> {
  const ids = hosted(legion, targets);
  return Promise.all(ids.map(async (id) => ({ id, outcome: await carryOut(order, id, legion) })));
}

async function limit(legion: Legion, targets: Targets, said: LimitsChoice): Promise<readonly Limited[]> {
  return Promise.all(
    hosted(legion, targets).map(async (id) => {
      const supervised = legion.agents.get(id)!;
      // One that rests is opened for it.
      await supervised.alone(() => Promise.resolve()).catch(() => undefined);
      const { agent, standing } = supervised;
      if (!agent) throw new LegionError("REFUSED", `${displayName(id)} cannot be opened: ${standing.reason}`);
      const { started } = agent.allowance;
      const done = limitAgent(supervised, started, said).then((limits) => ({
        outcome: "done" as const,
        limits,
      }));
      const limits = limitsHeld(started, limitsNotice(said, started, agent.memory.ledger.limits).details);
      return { id, ...(await unlessLate(done, PATIENCE_MS, { outcome: "soon" as const, limits })) };
    }),
  );
}

/** Those of them that run here. Throws USAGE for unknown ones, LOCKED for those that others run. */
function hosted({ agents, known }: Legion, targets: Targets): readonly AgentId[] {
  const running = [...agents].filter(([, supervised]) => !isStopped(supervised)).map(([id]) => id);
  const ids = targets === "all" ? running : resolveKnown(targets, known());
  const absent = ids.find((id) => !agents.has(id));
  if (absent === undefined) return ids;
  const absence = `agent ${absent} does not run on this node; it runs ${listIds(running)}`;
  throw new LegionError("LOCKED", absence);
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

function resend(legion: Legion, dead: ReadonlySet<string>): Promise<readonly Resent[]> {
  return Promise.all(
    [...dead].map((id) => {
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
