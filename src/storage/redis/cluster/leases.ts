// The right of this process to run agents: taken from Redis, and kept by one timer for all of them.
//
//   acquire -> renew, renew, renew (every quarter of the lease, all in one pipeline) -> release
//
//   T1. One process at a time: a right ends here before Redis gives it to another. Its time is counted from before the
//       asking, on a clock that never jumps, and is a tenth shorter than the lease.
//   T2. A process that was stopped and goes on finds out by `check`, before any timer has run.
//   T3. Whatever Redis may have forgotten ends every right: run ids are compared with those from before the taking.
//   T4. A renewal that fails decides nothing; time does.

import { randomUUID } from "node:crypto";
import { tellTrouble, type LeaseTrouble } from "../../../base/process/measured.ts";
import { isLegionError } from "../../../base/errors.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { createTenure, type Tenure } from "../../../domain/lease.ts";
import { acquireLease, releaseLease, renewLease, type Persistence, type Purpose } from "../scripts/lease.ts";
import type { Link } from "../connection/link.ts";

export const LEASE_MS = 10_000;

/** Why an agent is not to be had: another process has it for at most so long if it dies, or nobody may run it. */
export type Denial = { readonly waitMs: number } | "stopped" | "unknown";

export interface Leases {
  /**
   * Also takes an agent that this process holds already; whatever it began before is void then. Rejects with STORAGE,
   * which leaves open whether the right was given.
   *
   * @param purpose default `run`
   */
  acquire(agent: AgentId, purpose?: Purpose): Promise<Tenure | Denial>;
  held(agent: AgentId): Tenure | undefined;
  /** Gives all back. */
  close(): Promise<void>;
}

export interface LeaseOptions {
  readonly link: Link;
  readonly legion: string;
  /** No other process ever bears it. */
  readonly node: string;
  readonly durability: Persistence;
  /** Told after every renewal how far the agent's mailbox goes: a wake-up that was lost costs no more time than that. */
  readonly onMail?: (agent: AgentId, position: number) => void;
  readonly leaseMs?: number;
}

/** A right with what it depends on. */
interface Held {
  readonly tenure: Tenure;
  /** The servers as they were before it was taken. */
  readonly incarnation: string;
  /** On the clock of `performance.now`. */
  deadlineMs: number;
}

export function createLeases(options: LeaseOptions): Leases {
  const { link, legion, node, durability, leaseMs = LEASE_MS } = options;
  const all = new Map<AgentId, Held>();
  const incarnation = shared(() => link.incarnation());
  const renewAll = createRenewal({ ...options, leaseMs, all, incarnation });
  const pulse = startPulse(all, renewAll, leaseMs);
  const offReturn = link.onReturn((now) => {
    endOther(all.values(), now);
    renewAll();
  });
  /** Keeps it until it is lost. */
  const keep = (held: Held): void => {
    const { agent, lost } = held.tenure;
    all.get(agent)?.tenure.end("it was taken anew");
    all.set(agent, held);
    const drop = (): void => {
      if (all.get(agent) === held) all.delete(agent);
    };
    lost.addEventListener("abort", drop, { once: true });
  };
  let closed = false;
  return {
    async acquire(agent, purpose = "run") {
      // An errand of this very process must not take the agent from under its own actor.
      if (purpose === "errand" && all.has(agent)) return { waitMs: leaseMs };
      const place = { link, legion, agent };
      const before = await incarnation();
      const deadlineMs = deadlineOf(leaseMs);
      const terms = { owner: node, leaseMs, nonce: randomUUID(), durability, purpose, servers: before };
      const reply = await acquireLease(place, terms);
      // PTTL says -1 of a lease that never ends, which is not one that this program gave.
      if (reply[0] === "held") return { waitMs: Math.max(0, reply[1]) };
      if (reply[0] !== "taken") return reply[0];
      const [, epoch, token, past] = reply;
      const tenure = createTenure(
        { agent, epoch, token, past },
        {
          judge: () => endIfOver(held),
          giveBack: () => releaseLease(place, token).catch(unlessUnreachable),
        },
      );
      const held: Held = { tenure, incarnation: before, deadlineMs };
      keep(held);
      if (closed) await tenure.release();
      return tenure;
    },
    held: (agent) => all.get(agent)?.tenure,
    async close() {
      closed = true;
      offReturn();
      clearInterval(pulse);
      await Promise.all([...all.values()].map(({ tenure }) => tenure.release()));
    },
  };
}

/** To be called right before Redis is asked. */
function deadlineOf(leaseMs: number): number {
  return performance.now() + 0.9 * leaseMs;
}

function lose(tenure: Tenure, trouble: LeaseTrouble, why: string): void {
  if (!tenure.lost.aborted) tellTrouble(trouble);
  tenure.end(why);
}

function endIfOver({ tenure, deadlineMs }: Held): void {
  if (deadlineMs <= performance.now()) lose(tenure, "late", "its right was not renewed in time");
}

interface Renewal extends LeaseOptions {
  readonly leaseMs: number;
  readonly all: ReadonlyMap<AgentId, Held>;
  readonly incarnation: () => Promise<string>;
}

/** Renews everything that is held. */
function createRenewal({ link, legion, node, leaseMs, onMail, all, incarnation }: Renewal): () => void {
  const renew = async (held: Held): Promise<void> => {
    const { agent, token, lost } = held.tenure;
    const deadlineMs = deadlineOf(leaseMs);
    const mail = await renewLease({ link, legion, agent }, { owner: node, leaseMs, token });
    if (lost.aborted) return;
    if (mail === "lost") return lose(held.tenure, "taken", "another process took it over");
    held.deadlineMs = Math.max(held.deadlineMs, deadlineMs);
    onMail?.(agent, mail);
  };
  const compare = async (): Promise<void> => {
    const before = [...all.values()];
    endOther(before, await incarnation());
  };
  return () => {
    if (all.size === 0) return;
    compare().catch(unlessUnreachable);
    for (const held of [...all.values()])
      renew(held).catch((error: unknown) => {
        tellTrouble("unsaid");
        unlessUnreachable(error);
      });
  };
}

/** T3: nothing more is done with what another incarnation knew. */
function endOther(holdings: Iterable<Held>, now: string): void {
  for (const held of [...holdings])
    if (held.incarnation !== now) lose(held.tenure, "restarted", "Redis was restarted");
}

/** One timer for all: ends what is over, and calls `renewAll` four times in the time of a lease. */
function startPulse(all: ReadonlyMap<AgentId, Held>, renewAll: () => void, leaseMs: number): NodeJS.Timeout {
  let renewAtMs = 0;
  const beat = (): void => {
    for (const held of all.values()) endIfOver(held);
    if (performance.now() < renewAtMs) return;
    renewAtMs = performance.now() + leaseMs / 4;
    renewAll();
  };
  return setInterval(beat, leaseMs / 40).unref();
}

/** One call at a time: whoever asks meanwhile gets the same answer. */
function shared<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= call().finally(() => (running = undefined)));
}

/** T4: also what could not be given back runs out. */
function unlessUnreachable(error: unknown): void {
  if (!isLegionError(error, "STORAGE")) throw error;
}
