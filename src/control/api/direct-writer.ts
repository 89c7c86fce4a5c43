// A person's word where no node hears it: the command itself writes it into the logs, for which it has to have the right.

import type { Clock } from "../../base/clock.ts";
import { readableModules } from "../../config/module-loader.ts";
import { fork } from "../../legion/fork.ts";
import { LegionError } from "../../base/errors.ts";
import { limitAgent } from "../../legion/hosting/limiting.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { resend } from "../../mail/resend.ts";
import { toRecord } from "../../storage/contract/reader.ts";
import type { Store } from "../../storage/contract/store.ts";
import { PAUSED, changesNothing, resentOf, resolveKnown } from "./orders.ts";
import type { LegionClient } from "./legion-client.ts";
import type { Obeyed, Order } from "./routes.ts";

const NOBODY_LIMITED =
  "no node runs this legion; `legion start --limits <limits>` says what all agents may spend";

export interface DirectWriter extends Pick<
  LegionClient,
  "say" | "relay" | "answer" | "mode" | "limits" | "resend" | "fork"
> {
  order(order: Order & { readonly order: "pause" | "resume" }): Promise<readonly Obeyed[]>;
}

/** Writes into `store`. Its methods reject with LOCKED, having written nothing, where somebody else runs the agent. */
export function createDirectWriter(store: Store, clock: Clock): DirectWriter {
  const { control, known, bus, writerFor } = store;
  return {
    say: ({ targets, content, delivery }) => control.say(resolveKnown(targets, known()), content, delivery),
    relay: async ({ targets, ...said }) =>
      control.relay({ targets: resolveKnown(targets, known()), ...said }),
    answer: (answered) => control.answer(answered),
    mode: ({ targets, mode }) => control.switchMode(resolveKnown(targets, known()), mode),
    async limits({ targets, limits: said }) {
      if (targets === undefined) throw new LegionError("REFUSED", NOBODY_LIMITED);
      const agents = await inOrder(resolveKnown(targets, known()), async (id) => {
        const { limits: started = {} } = toRecord((await store.record(id)) ?? "");
        return { id, outcome: "done" as const, limits: await limitAgent(writerFor(id)!, started, said) };
      });
      return { agents, legion: null };
    },
    order: ({ order, targets }) => inOrder(resolveKnown(targets, known()), (id) => obey(store, id, order)),
    resend(dead) {
      const all = (): Promise<readonly AgentId[]> => Promise.resolve(known());
      const office = { clock, known: all, unread: bus.unread, control, writerFor };
      return inOrder(dead, (id) => resentOf(id, resend(id, office)));
    },
    async fork(order) {
      const { to, done } = await fork(order, { store, writerFor, readable: await readableModules() });
      return { to, outcome: "done", ...(await done) };
    },
  };
}

async function obey({ writerFor }: Store, id: AgentId, order: "pause" | "resume"): Promise<Obeyed> {
  const isPausing = order === "pause";
  const reason = isPausing ? "paused" : "resumed";
  const outcome = await writerFor(id)!.alone(async ({ memory }) => {
    if (changesNothing(order, memory.conversation)) return "already";
    await memory.commit({ kind: "notice", reason, content: isPausing ? PAUSED : "" });
    return "done";
  });
  return { id, outcome };
}

/** One after the other. */
async function inOrder<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<readonly R[]> {
  const made: R[] = [];
  for (const item of items) made.push(await each(item));
  return made;
}
