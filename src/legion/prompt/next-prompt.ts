// What the model of an agent would be shown next, by the definition and the modules of today: the agent is opened with its
// past, its unread mail and its modules, but nothing to act with.

import { introductionOf, requestOf } from "../../agent/think/ask.ts";
import type { Workplace } from "../../agent/parts/workplace.ts";
import { along } from "../../past/branch.ts";
import type { Mail } from "../../mail/bus.ts";
import { planIntake } from "../../mail/intake.ts";
import { firstFitting } from "../../mail/mailbox.ts";
import { nextFollowUp } from "../../past/conversation.ts";
import { LegionError } from "../../base/errors.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import { recollect } from "../../agent/think/recall.ts";
import { openModules } from "../../agent/act/module-host.ts";
import { account } from "../../past/ledger.ts";
import type { AgentPlan } from "../hosting/agent-plan.ts";
import { MAIL_SHARE, displayName, type AgentId } from "../../domain/message/message.ts";
import { foldOffers, type KnownOffers } from "../../past/offers.ts";
import { createFold } from "../../past/kept/reading.ts";
import type { ReadablePast } from "../../past/past.ts";
import type { Model, ModelRequest } from "../../domain/model.ts";
import { CLOSED_RULEBOOK } from "../rulebook.ts";
import { createRequestRedactor } from "../../agent/parts/model/redacted-model.ts";
import { createRedactor, type Redactor } from "../../base/redaction/redactor.ts";
import { reachedMemories } from "../hosting/reached-memories.ts";
import { closedWorkplace } from "../hosting/shared-host.ts";
import { createSpeech, recallOffers, type Speech } from "../../agent/parts/speech.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { Secret } from "../../base/redaction/redactor.ts";
import type { Backend } from "../../storage/contract/backend.ts";
import { nextQuestion, type DormantSource } from "./next-question.ts";
import { castToday, type Today } from "./definition-today.ts";

/** Where an agent is kept. */
export interface PromptSite {
  /** Real path of the folder that holds config, definitions and modules. */
  readonly project: string;
  readonly home?: string;
  readonly backend: Backend;
  readonly reader: Reader;
  readonly config: { readonly secrets: () => readonly Secret[] };
}

/** Throws REFUSED for an agent that no definition made; USAGE or CONFIG where definition or modules are wrong today. */
export async function nextPrompt(site: PromptSite, id: AgentId, today: Today): Promise<ModelRequest> {
  const { planFor, settings } = await castToday(site, id, today);
  const redactor = createRedactor(site.config.secrets());
  const plan = await planFor();
  const source = await openDormant(plan, { ...site, settings, redactor });
  try {
    const request = plan.director
      ? await nextQuestion(source, { observer: id, observe: plan.observe ?? [], reader: site.reader })
      : requestOf(source, await introductionOf(source));
    return createRequestRedactor(redactor)(request);
  } finally {
    await source.modules.close();
  }
}

interface Dormancy extends Omit<PromptSite, "config"> {
  readonly settings: Workplace["settings"];
  readonly redactor: Redactor;
}

/** What its next prompt is composed from. Close its modules when it is no longer needed. */
async function openDormant(plan: AgentPlan, dormancy: Dormancy): Promise<DormantSource> {
  const { reader } = dormancy;
  const { identity } = plan;
  const speech = createSpeech(plan, plan.model);
  const { add, ...memory } = await readPast(plan, speech, reader);
  const model = asLastAsked(plan.model, memory);
  if (model !== plan.model) return openDormant({ ...plan, model }, dormancy);
  const memories = reachedMemories(plan.memories, dormancy.backend.memories);
  const whose = { agent: identity.id, workspace: plan.workspace, memories, peers: () => everybody(reader) };
  const settings: Workplace["settings"] = (module) => ({
    ...dormancy.settings(module),
    ...plan.settings?.[module],
  });
  const workplace = closedWorkplace({ ...dormancy, settings, ...whose }, refuse);
  const modules = openModules(speech, {
    identity,
    memory,
    model,
    blobs: reader.blobs(identity.id),
    workplace,
    rulebook: CLOSED_RULEBOOK,
    redactor: dormancy.redactor,
  });
  const recalled = await recollect({ memory, modules, redactor: dormancy.redactor });
  memory.offers = recalled.reduce(foldOffers, memory.offers);
  recallOffers(speech, model, memory);
  return { memory, model, modules, speech, settings: plan.memory, workplace, see: add };
}

/** As far as anybody knows who looks at what is kept. */
async function everybody(reader: Reader): ReturnType<Workplace["peers"]> {
  const known = await reader.known();
  return known.map((id) => ({ id, name: displayName(id), description: "", running: false }));
}

/** A model whose server said at its newest decision that it calls no tools is taken for one that calls none. */
function asLastAsked(model: Model, { conversation }: ReadablePast): Model {
  const newest = conversation.decision?.event;
  const isText = newest?.protocol === "text" && newest.model === model.name;
  return isText && model.profile.tools ? { ...model, profile: { ...model.profile, tools: false } } : model;
}

/** What the agent would know at its next decision: mail that waits is taken in before that. */
async function readPast(
  { identity, actions }: AgentPlan,
  speech: Speech,
  reader: Reader,
): Promise<ReadablePast & { offers: KnownOffers; add(event: NewEvent): void }> {
  const { id } = identity;
  const { ledger, branch, path } = await reader.follow(id, () => createFold(speech));
  const { conversation, view } = branch;
  const waiting = conversation.mail ? [] : await reader.unread(id, ledger);
  const add = (event: NewEvent): void => {
    const at = event.kind === "message" ? event.message.sentAt : ledger.at;
    const stamp = { seq: ledger.last + 1, epoch: 0, at };
    account(ledger, { ...event, ...stamp });
    branch.see({ ...event, ...stamp });
  };
  const peek = (maxTokens: number): readonly Mail[] => firstFitting(waiting, maxTokens);
  const { events, mail } = planIntake(conversation, peek, speech.window / MAIL_SHARE);
  if (!conversation.mail) events.forEach(add);
  const followUp = mail.length === waiting.length ? nextFollowUp(conversation) : undefined;
  if (followUp !== undefined) add({ kind: "released", messages: [followUp] });
  return {
    add,
    conversation,
    view,
    offers: branch.offers,
    state: await reader.state(id, actions.modules),
    past: (from) => along(reader.events(id, from), path),
  };
}

function refuse(): Promise<never> {
  return Promise.reject(new LegionError("REFUSED", "This agent does not run."));
}
