// What the page may have a legion do: all that the person's commands do, in the same way, with a node and without one.

import { LegionError } from "../../base/errors.ts";
import type { NodeApi } from "../api/routes.ts";
import type { WatchedLegion } from "../reading/watched.ts";

const FOR_PROGRAMS = "the page makes no agents; `legion start` does";

export function createPersonService({ act, wake }: Pick<WatchedLegion, "act" | "wake">): NodeApi {
  const hostsNobody = (): Promise<never> => Promise.reject(new LegionError("REFUSED", FOR_PROGRAMS));
  return {
    status: () =>
      act(async (legion) => {
        const { agents, servers, limits } = await legion.status();
        return { agents, servers, limits };
      }),
    say: async (said) => ({ ids: await act((legion) => legion.say(said)) }),
    relay: (said) => act((legion) => legion.relay(said)),
    spawn: hostsNobody,
    wake,
    answer: async (answered) => ({ id: await act((legion) => legion.answer(answered)) }),
    mode: async (order) => ({ ids: await act((legion) => legion.mode(order)) }),
    limits: (order) => act((legion) => legion.limits(order)),
    order: async (order) => ({ agents: await act((legion) => legion.order(order)) }),
    resend: async ({ dead }) => ({ letters: await act((legion) => legion.resend(dead)) }),
    fork: (order) => act((legion) => legion.fork(order)),
    undo: (order) => act((legion) => legion.undo(order)),
    async stop() {
      const ended = await act((legion) => legion.end());
      return { node: ended.map(({ node }) => node).join(", ") };
    },
  };
}
