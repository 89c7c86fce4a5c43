// An agent as it is recorded: with its past, its unread mail and its modules, but nothing to act with. It can be asked
// what it would show its model.

import type { Agent, Shared } from "../../../agent/parts/agent.ts";
import { along } from "../../../past/branch.ts";
import { firstFitting } from "../../../mail/mailbox.ts";
import { createClock } from "../../../base/clock.ts";
import { LegionError } from "../../../base/errors.ts";
import type { Event } from "../../../domain/event.ts";
import { createHost } from "../../../agent/act/module-host.ts";
import { account } from "../../../past/ledger.ts";
import type { AgentPlan } from "../../../legion/agent-plan.ts";
import { MAIL_SHARE, displayName } from "../../../domain/message.ts";
import { createFold, type Memory } from "../../../past/past.ts";
import type { Model } from "../../../domain/model.ts";
import { startModules } from "../../../agent/parts/module-set.ts";
import { closedPremises } from "../../../legion/shared-host.ts";
import { createSpeech, type Speech } from "../../../agent/parts/speech.ts";
import { createTenure } from "../../../domain/lease.ts";
import type { Reader } from "../../../storage/contract/reader.ts";

export interface Dormancy {
  readonly reader: Reader;
  /** The folder that is its workspace. */
  readonly project: string;
  readonly settings: Shared["settings"];
}

/** Close its modules when it is no longer needed. */
export async function openDormant(plan: AgentPlan, dormancy: Dormancy): Promise<Agent> {
  const { reader } = dormancy;
  const { identity, tickMs } = plan;
  const speech = createSpeech(plan, plan.model);
  const memory = await readMemory(plan, speech, reader);
  const model = asLastAsked(plan.model, memory);
  if (model !== plan.model) return openDormant({ ...plan, model }, dormancy);
  const agent: Agent = {
    identity,
    presence: {
      standing: { state: "stopped", reason: "", since: "" },
      show: () => undefined,
      stream: () => undefined,
    },
    tenure: createTenure({ agent: identity.id, epoch: 0, token: "", past: "whole" }),
    model: {
      name: model.name,
      profile: model.profile,
      complete: refuse,
      fits: refuse,
      count: refuse,
      settle: () => undefined,
    },
    speech,
    settings: plan.memory,
    tickMs,
    delayMs: 0,
    memory,
    inbox: {
      unread: 0,
      peek: () => [],
      taken: () => undefined,
      wait: refuse,
      interrupt: () => new AbortController().signal,
      close: nothing,
    },
    perform: refuse,
    outbox: { deliver: nothing, offerAgain: nothing, undelivered: () => [], close: nothing },
    modules: startModules(speech, (module) => createHost(agent, module)),
    blobs: reader.blobs(identity.id),
    traces: { begin: refuse, printed: () => Promise.resolve(undefined) },
    shared: shareNothing(dormancy),
  };
  return agent;
}

function shareNothing({ reader, project, settings }: Dormancy): Shared {
  const clock = createClock();
  return {
    clock,
    inspect: () => undefined,
    node: closedPremises(refuse),
    workspace: { root: project, execute: refuse, endLeft: () => Promise.resolve(false) },
    settings,
    peers: async () =>
      (await reader.known()).map((id) => ({ id, name: displayName(id), description: "", running: false })),
    unread: () => Promise.resolve(0),
    isNews: () => false,
    tellControl: () => undefined,
    announceHops: nothing,
  };
}

/** A model whose server said at its newest decision that it calls no tools is taken for one that calls none. */
function asLastAsked(model: Model, { conversation }: Memory): Model {
  const newest = conversation.decision?.event;
  const isText = newest?.protocol === "text" && newest.model === model.name;
  return isText && model.profile.tools ? { ...model, profile: { ...model.profile, tools: false } } : model;
}

/** What the agent would know at its next decision: mail that waits is taken in before that. */
async function readMemory({ identity, actions }: AgentPlan, speech: Speech, reader: Reader): Promise<Memory> {
  const { id } = identity;
  const { window } = speech;
  const { ledger, branch, path } = await reader.follow(id, () => createFold(speech));
  const { conversation, view } = branch;
  const waiting = conversation.mail ? [] : await reader.unread(id, ledger);
  for (const { position, from, message } of firstFitting(waiting, window / MAIL_SHARE)) {
    const stamp = { seq: ledger.last + 1, epoch: 0, at: message.sentAt };
    const event: Event = { kind: "message", message, mail: position, from, ...stamp };
    account(ledger, event);
    branch.see(event);
  }
  return {
    agent: id,
    ledger,
    conversation,
    view,
    state: await reader.state(id, actions.modules),
    isDead: () => false,
    commit: refuse,
    note: () => undefined,
    read: (from) => reader.events(id, from),
    past: (from) => along(reader.events(id, from), path),
    reopen: refuse,
    showAnew: refuse,
    close: nothing,
  };
}

const nothing = (): Promise<void> => Promise.resolve();

function refuse(): Promise<never> {
  return Promise.reject(new LegionError("REFUSED", "This agent does not run."));
}
