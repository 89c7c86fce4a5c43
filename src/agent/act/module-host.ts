// What a module may ask of the runtime, answered for one agent: reading at any time, changing only while an action runs.

import { join, relative } from "node:path";
import { CLOSED_BACKGROUND } from "../parts/background/background.ts";
import { callKey, unprinted } from "../parts/command-trace.ts";
import { plainPrompt } from "../parts/model/metered-model.ts";
import { objectiveOf, startModules, type ModuleSet } from "../parts/module-set.ts";
import type { HostSource, Performer, ReadyCall } from "../parts/agent.ts";
import { PINNED_SHARE } from "../parts/introduction.ts";
import type { Speech } from "../parts/speech.ts";
import { LegionError } from "../../base/errors.ts";
import { redactLong } from "../../base/redaction/long.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { CommandRun } from "../../domain/authoring/workspace.ts";
import type { Event, EventOf } from "../../domain/event/event.ts";
import { readAnswering } from "../../domain/message/answering.ts";
import { laneOf, type AgentId } from "../../domain/message/message.ts";
import { isHidden } from "../../past/mail/held.ts";
import type { ModelProfile } from "../../domain/model.ts";
import type { History, Host, PastEvent } from "../../domain/authoring/host.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import type { ReadablePast } from "../../past/past.ts";
import type { WritingCall } from "../../past/receipts/beside.ts";
import { keepCommand } from "../../past/undo/commands.ts";
import { renderMessage } from "../../past/view.ts";
import { overhear } from "../parts/overhear.ts";
import { permits, type Leave } from "../parts/permits.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { reportOf } from "../think/report.ts";
import { afterOwnWrites } from "./own-writes.ts";
import { stagedState, type Work } from "./unit-of-work.ts";

export interface RunningAction {
  readonly work: Work;
  readonly signal: AbortSignal;
  readonly ready: ReadyCall;
  /** Shows what the action tells while it runs. */
  readonly progress: (text: string) => void;
  /** What runs beside it in its workspace, or did. */
  readonly beside: ReadonlySet<WritingCall>;
}

const COMPLETION_SHARE = 4;
/** One result may fill this share of the model's window, and all results of a decision together the next. */
const RESULT_SHARE = 1 / 4;
const DECISION_SHARE = 1 / 2;
const TOLD = { changes: "told" } as const;
/** Outside an action there is nothing to stop. */
const NEVER = new AbortController().signal;

/** The modules of an agent, which may read at any time. */
export function openModules(speech: Speech, source: HostSource): ModuleSet {
  const hostOf = (module: string): Host => readingHost(source, modules, module);
  const modules: ModuleSet = startModules(speech, hostOf, source.redactor);
  return modules;
}

export function readingHost(source: HostSource, modules: ModuleSet, module: string): Host {
  const { identity, memory, model, workplace, rulebook, redactor } = source;
  const { workspace, node, programs, peers } = workplace;
  const history = createHistory(memory);
  return {
    agent: identity,
    actions: modules.specs,
    protocol: modules.protocol,
    howToAct: modules.howToAct,
    state: { ...stagedState(memory.state, module, []), set: refuse, delete: refuse },
    history,
    offer: memory.offers.get(module),
    workspace: {
      root: workspace.root,
      branch: workspace.branch,
      home: workspace.home,
      execute: async (command, { timeoutMs, signal, hosts }) =>
        redactRun(await workspace.execute(command, { timeoutMs, signal, hosts }), redactor),
      background: CLOSED_BACKGROUND.of(module),
    },
    node,
    programs,
    memories: workplace.memories,
    remember: async () => refuse(),
    putContext: async () => refuse(),
    invocation: memory.conversation.invocations.open,
    settings: workplace.settings(module),
    signal: NEVER,
    send: refuse,
    progress: refuse,
    permits: (touching) => permits({ own: rulebook.own, others: [], cleared: [] }, touching),
    peers,
    word: source.wording?.word ?? (async () => refuseWording()),
    replacing: async () => refuse(),
    complete: async () => refuse(),
    tokens: estimateTokens,
    maxTokens: maxResultTokens(memory, model.profile),
    maxPinnedTokens: Math.floor(model.profile.window * PINNED_SHARE),
    objective: () => objectiveOf(modules) ?? history.latestInstruction(),
    keep: (content) => keepText(source, content),
    hides: redactor.marksIn,
    onClose: (close) => modules.onClose(close),
  };
}

function refuse(): never {
  throw new LegionError("REFUSED", "Only a running action may do this.");
}

function refuseWording(): never {
  throw new LegionError("REFUSED", "No templates word what this agent is shown.");
}

/** Its author said so, and it is run beside others because of that. */
function refuseReader({ name }: ReadyCall): never {
  throw new LegionError(
    "REFUSED",
    `The action ${name} only reads, as its module says with effects: "reads"; one that changes state or sends needs "none".`,
  );
}

export function actingHost(performer: Performer, module: string, running: RunningAction): Host {
  const { memory, model, redactor, traces, workplace, background, kept } = performer;
  const { work, signal, ready, progress, beside } = running;
  const { call, leave } = ready;
  const isReader = ready.action.effects === "reads";
  const host = readingHost(performer, performer.modules, module);
  const { node } = host;
  const active = (): Work => (work.isOver ? refuse() : work);
  const changing = (): Work => (isReader ? refuseReader(ready) : active());
  return {
    ...host,
    state: {
      ...work.state(module),
      set: (key, value) => changing().state(module).set(key, value),
      delete: (key) => changing().state(module).delete(key),
    },
    workspace: {
      ...host.workspace,
      async execute(command, { onOutput, folder, timeoutMs, signal: until, hosts }) {
        const key = callKey(memory, call);
        const begun = isReader ? unprinted(key) : await traces.begin(key);
        const { trace, settle } = overhear(begun, redactor, onOutput);
        const options = { folder, timeoutMs, signal: until, hosts, trace, ...(kept && !isReader && TOLD) };
        const { changes, ...run } = await workplace.workspace.execute(command, options).finally(settle);
        const ended = { key, workspace: workplace.workspace, beside };
        if (kept && changes) work.files.tell(await keepCommand(kept, ended, changes));
        // Before anything is cut: of half a secret nobody could tell that it is one.
        return redactRun(run, redactor);
      },
      background: background.of(module),
    },
    signal,
    progress,
    memories: host.memories.map((memory) => afterOwnWrites(memory, performer, signal)),
    async remember(entry) {
      const { raw, said = new Date(node.clock.now()).toISOString(), ...note } = entry;
      const to = await writtenMemory(host, leave);
      changing().record(to, raw, { entry: { ...note, said } });
    },
    async putContext({ content, ...context }) {
      const to = await writtenMemory(host, leave);
      changing().record(to, content, { context });
    },
    permits: (touching) => permits(leave, touching),
    send: (...letter) => sendCiting(performer, { staging: changing(), leave }, ...letter),
    replacing: async (changes) => keepReplaced(performer, { work: changing(), ready }, changes),
    async complete(prompt, options) {
      active();
      const { window, maxOutput, summarises } = model.profile;
      if (!summarises)
        throw new LegionError("REFUSED", `The model ${model.name} follows rules and writes no texts.`);
      const cap = Math.min(options?.maxOutput ?? maxOutput, maxOutput, Math.floor(window / COMPLETION_SHARE));
      const answer = await model.complete(plainPrompt(prompt, cap, call.id), { signal });
      work.spend(answer);
      return answer.completion.text;
    },
  };
}

interface Sending {
  readonly staging: Work;
  readonly leave: Leave;
}

/** Rejects with REFUSED as well where what it says has to be proven. */
async function sendCiting(
  performer: Performer,
  { staging, leave }: Sending,
  ...[to, content, options = {}]: Parameters<Host["send"]>
): Promise<readonly string[]> {
  const answering = readAnswering(options);
  const report = await reportOf(performer, { ...answering, to, content, cited: options.receipts ?? [] });
  if (report.unproven !== undefined) throw new LegionError("REFUSED", report.unproven);
  const isPermitted = (id: AgentId): boolean => permits(leave, { kind: "send", to: id });
  return staging.send(to, { ...answering, content, receipts: report.receipts }, isPermitted);
}

async function keepReplaced(
  { kept, memory, workplace }: Performer,
  { work, ready }: Pick<RunningAction, "work" | "ready">,
  changes: Parameters<Host["replacing"]>[0],
): Promise<void> {
  work.told.isReplacing = true;
  if (!kept) return;
  const { root, home } = workplace.workspace;
  const replaced = (await changes()).map((one) => ({ ...one, path: relative(root, one.path) }));
  const place = relative(join(root, home), root);
  work.files.tell({ unkept: await kept.keep(callKey(memory, ready.call), place, replaced) });
}

async function redactRun({ output, ...end }: CommandRun, redactor: Redactor): Promise<CommandRun> {
  return { ...redactor.value(end), output: await redactLong(redactor, output) };
}

/** The memory that the agent writes to. Rejects with REFUSED or FOREIGN where it may not. */
async function writtenMemory({ memories: [memory] }: Host, leave: Leave): Promise<MemoryId> {
  if (!memory) throw new LegionError("REFUSED", "You have no long-term memory.");
  if (!permits(leave, { kind: "send", to: memory.id }))
    throw new LegionError("REFUSED", `A rule of your policy stands against writing to ${memory.id}.`);
  await memory.check();
  return memory.id;
}

/** Keeps a text or bytes beside the log; returns where they can be read, relative to the workspace. */
export async function keepText(
  { identity, blobs, workplace }: HostSource,
  content: string | Uint8Array,
): Promise<string> {
  return `${workplace.workspace.home}/agents/${identity.id}/blobs/${await blobs.keep(content)}`;
}

/** How long each result of the newest decision may be, in tokens. */
export function maxResultTokens({ conversation }: ReadablePast, { window }: ModelProfile): number {
  const calls = conversation.decision?.event.calls.length ?? 1;
  return Math.floor(window * Math.min(RESULT_SHARE, DECISION_SHARE / calls));
}

/** The agent's own past, read from the log: nothing of it is ever out of reach. */
function createHistory(memory: ReadablePast): History {
  return {
    async search(query, limit) {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const found: PastEvent[] = [];
      let isRecalling = false;
      for await (const event of memory.past()) {
        // Earlier searches would find themselves, and push out what they were looking for.
        if (event.kind === "decision") isRecalling = event.calls.some(({ action }) => action === "recall");
        const past = toPast(event, memory);
        if (!past || (isRecalling && isOfDecision(event))) continue;
        const text = past.text.toLowerCase();
        if (words.every((word) => text.includes(word))) found.push(past);
        if (found.length > limit) found.shift();
      }
      return found.reverse();
    },
    async open(seq) {
      for await (const event of memory.past(seq)) {
        if (event.seq !== seq) return undefined;
        return event.kind === "released" ? openReleased(event, memory) : toPast(event, memory);
      }
      return undefined;
    },
    latestInstruction: () => memory.conversation.instruction?.content,
  };
}

/** The mail that was shown in the place of `event`: in summaries it goes by this number. */
async function openReleased({ seq, at, messages }: EventOf<"released">, memory: ReadablePast) {
  const texts: string[] = [];
  for await (const event of memory.past(messages[0])) {
    if (event.seq >= seq) break;
    if (messages.includes(event.seq)) texts.push(textOfEvent(event) ?? "");
  }
  return { seq, at, text: texts.join("\n\n") };
}

function isOfDecision({ kind }: Event): boolean {
  return kind === "decision" || kind === "result";
}

/** What an agent may remember of an event; `undefined` for the runtime's own book-keeping, and for mail that it was not shown. */
function toPast(event: Event, { conversation }: ReadablePast): PastEvent | undefined {
  if (isHidden(conversation.held, event.seq)) return undefined;
  const text = textOfEvent(event);
  return text === undefined ? undefined : { seq: event.seq, at: event.at, text };
}

function textOfEvent(event: Event): string | undefined {
  if (event.kind === "message")
    return laneOf(event.message) === "verdict" ? undefined : renderMessage(event.message);
  if (event.kind === "result" || event.kind === "summary") return event.content;
  if (event.kind !== "decision") return undefined;
  const calls = event.calls.map(({ action, parameters }) => `${action} ${JSON.stringify(parameters)}`);
  return [event.text, ...calls].filter(Boolean).join("\n");
}
