// An agent as its files have it: with its past, its unread mail and its modules, but nothing to act with. It can be asked
// what it would show its model.

import type { Agent, Shared } from "../agent.ts";
import { firstFitting } from "../bus/mailbox.ts";
import { createClock } from "../clock.ts";
import { LegionError } from "../errors.ts";
import type { Event } from "../event.ts";
import { createBudget } from "../gate.ts";
import { createHost } from "../host.ts";
import { account, createLedger } from "../ledger.ts";
import type { AgentPlan } from "../legion.ts";
import { MAIL_SHARE, displayName } from "../message.ts";
import type { Memory } from "../memory.ts";
import { createLimiter } from "../model/limiter.ts";
import { startModules } from "../module-set.ts";
import type { Reader } from "../reader.ts";
import { createView } from "../view.ts";

export interface Dormancy {
  readonly reader: Reader;
  readonly settings: Shared["settings"];
}

/** Close its modules when it is no longer needed. */
export async function openDormant(plan: AgentPlan, { reader, settings }: Dormancy): Promise<Agent> {
  const { identity, model, protocol, actions, limits, tickMs } = plan;
  const agent: Agent = {
    standing: { state: "stopped", reason: "", since: "" },
    identity,
    model,
    protocol,
    limits,
    settings: plan.memory,
    tickMs,
    delayMs: 0,
    memory: await readMemory(plan, reader),
    inbox: {
      unread: 0,
      peek: () => [],
      taken: () => undefined,
      wait: refuse,
      interrupt: () => new AbortController().signal,
      close: nothing,
    },
    perform: refuse,
    outbox: { deliver: nothing, undelivered: () => [], close: nothing },
    modules: startModules(actions, (module) => createHost(agent, module)),
    blobs: reader.blobs(identity.id),
    shared: shareNothing(reader, settings),
  };
  return agent;
}

function shareNothing(reader: Reader, settings: Shared["settings"]): Shared {
  const clock = createClock();
  return {
    clock,
    inspect: () => undefined,
    budget: createBudget({}),
    limiter: createLimiter({ clock }),
    tokens: { count: refuse, close: nothing },
    workspace: { root: reader.paths.project, execute: refuse },
    settings,
    peers: async () =>
      (await reader.known()).map((id) => ({ id, name: displayName(id), description: "", running: false })),
    unread: () => Promise.resolve(0),
    announceHops: nothing,
  };
}

/** What the agent would know at its next decision: mail that waits is taken in before that. */
async function readMemory(
  { identity, protocol, errors, actions, model }: AgentPlan,
  reader: Reader,
): Promise<Memory> {
  const { id } = identity;
  const ledger = createLedger();
  const view = createView({ protocol, errors, window: model.profile.window });
  const take = (event: Event): void => {
    account(ledger, event);
    view.see(event);
  };
  for await (const event of reader.events(id)) take(event);
  const waiting = ledger.mail ? [] : await reader.unread(id, ledger);
  for (const { position, from, message } of firstFitting(waiting, model.profile.window / MAIL_SHARE)) {
    const stamp = { seq: ledger.last + 1, epoch: 0, at: message.sentAt };
    take({ kind: "message", message, mail: position, from, ...stamp });
  }
  return {
    agent: id,
    ledger,
    view,
    state: await reader.state(id, actions.modules),
    commit: refuse,
    note: () => undefined,
    read: (from) => reader.events(id, from),
    reopen: refuse,
    close: nothing,
  };
}

const nothing = (): Promise<void> => Promise.resolve();

function refuse(): Promise<never> {
  return Promise.reject(new LegionError("REFUSED", "This agent does not run."));
}
