// A bell: logs are read, and what is seen of them as they grow only says that there is something to read.

import type { Inspector } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { ordersIn } from "../../past/observed/orders.ts";
import { saidIn } from "../../past/observed/said.ts";

/** Rings whenever something may have been said, and tells by whom or to whom. */
export function watchLogs(inspector: Pick<Inspector, "watch">, observer: AgentId) {
  const wakers = new Set<() => void>();
  let rung: Set<AgentId> | "all" | undefined = "all";
  const wake = (): void => {
    for (const waker of wakers) waker();
  };
  const close = inspector.watch((seen) => {
    if (seen.kind !== "event") return;
    const { event, agent } = seen;
    const said = agent === observer ? ordersIn(event) : saidIn(event, { agent, log: "" });
    if (said.length === 0) return;
    if (rung !== "all") rung = (rung ?? new Set()).add(agent);
    wake();
  });
  return {
    close,
    hasRung: () => rung !== undefined,
    /** For everybody, or for nobody new. */
    ring(who: "all" | "nobody new" = "all"): void {
      if (who === "all") rung = "all";
      else rung ??= new Set();
      wake();
    },
    /** Whose logs it rang for since it was answered last; `undefined`: it did not ring. */
    answer(): ReadonlySet<AgentId> | "all" | undefined {
      const answered = rung;
      rung = undefined;
      return answered;
    },
    rung: (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (rung !== undefined || signal.aborted) return resolve();
        const leave = (): void => {
          wakers.delete(leave);
          signal.removeEventListener("abort", leave);
          resolve();
        };
        wakers.add(leave);
        signal.addEventListener("abort", leave);
      }),
  };
}
