// What the model was shown, from the log: system prompt and tools are kept as a blob, pinned messages in the `prompted`
// events, and the turns are a fold of the log up to that moment. The log holds a hash over the turns that were shown, so
// what is given back here is exactly that, or an error.

import { NOOP_OPENING } from "../../agent/think/ask.ts";
import { belongsTo, forkIn, pathTo, type Fork } from "../../past/branch.ts";
import { LegionError } from "../../base/errors.ts";
import type { Event, EventOf, Stamp } from "../../domain/event/event.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { isOfModel, RULES } from "../../domain/supervision.ts";
import type { ModelRequest } from "../../domain/model.ts";
import type { Protocol } from "../../model/protocol/protocol.ts";
import { textProtocol } from "../../model/protocol/text.ts";
import { toolsProtocol } from "../../model/protocol/tools.ts";
import type { Blobs } from "../../past/log/blobs.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { createView, type View, type ViewOptions } from "../../past/view.ts";
import { shownFor, type ShownFor } from "../prompt/shown.ts";

type Prompted = EventOf<"prompted"> & Stamp;
type KeptIntroduction = Pick<ModelRequest, "system" | "tools">;

/** `staying`: so many turns, from the first on, are those of the prompt that was asked for before. */
export type PastPrompt = ModelRequest & { readonly staying: number };

/** Follows a log for what was shown: a prompt costs what is new in it. */
export interface PastPrompts {
  /** Takes in the next event of the log, whatever its branch. */
  see(event: Event): void;
  /**
   * The prompt of the newest event: of a decision, or of the `prompted` event before it. Its turns hold until the next event is seen.
   * Rejects with USAGE if the event is neither, with REFUSED if what was shown is not kept.
   */
  shown(): Promise<PastPrompt>;
  /** For which decisions the model was asked, of what leads to the newest event, oldest first. */
  asked(): Promise<readonly ShownFor[]>;
}

/** What was shown by event `seq`. Rejects as `shown`, and with USAGE if there is no such event. */
export async function promptAt(reader: Reader, agent: AgentId, seq: number): Promise<ModelRequest> {
  const prompts = followPrompts(reader, agent);
  let last: Event | undefined;
  for await (const event of reader.events(agent)) {
    if (event.seq > seq) break;
    prompts.see(event);
    last = event;
  }
  if (last?.seq === seq) {
    const { staying: _, ...shown } = await prompts.shown();
    return shown;
  }
  const end = `the log of ${displayName(agent)} ends at ${last?.seq ?? 0}`;
  throw new LegionError("USAGE", `there is no event ${seq}: ${end}`);
}

/** @param reader gives the log once more where it forks, and where what was shown is looked for in other ways */
export function followPrompts(reader: Pick<Reader, "events" | "blobs">, agent: AgentId): PastPrompts {
  const forks: Fork[] = [];
  let trail = createTrail();
  let last: Event | undefined;
  /** The log went on from an earlier event than the trail did. */
  let isLeft = false;
  let newest: View | undefined;
  let introduction: { readonly hash: string; readonly is: KeptIntroduction } | undefined;
  const before = async function* (seq: number): AsyncGenerator<Event> {
    const path = pathTo(forks, last!.seq);
    for await (const event of reader.events(agent)) {
      if (event.seq >= seq) return;
      if (belongsTo(path, event)) yield event;
    }
  };
  const settled = async (): Promise<Trail> => {
    if (!isLeft) return trail;
    trail = createTrail(trail.way);
    for await (const event of before(last!.seq + 1)) trail.see(event);
    isLeft = false;
    return trail;
  };
  return {
    see(event) {
      const fork = forkIn(event);
      if (fork) forks.push(fork);
      if (fork && fork.to < (last?.seq ?? 0)) isLeft = true;
      last = event;
      if (!isLeft && (!fork || belongsTo([], event))) trail.see(event);
    },
    async shown() {
      const there = await settled();
      const prompted = findPrompted(there, last!);
      const hash = prompted.introduction;
      if (introduction?.hash !== hash)
        introduction = { hash, is: await readIntroduction(reader.blobs(agent), hash) };
      const { system, tools } = introduction.is;
      const protocol = tools.length > 0 ? toolsProtocol : textProtocol;
      const view = await findView(there, { prompted, protocol, before });
      const turns = view?.turns ?? [];
      const stayed = view?.staying() ?? 0;
      const staying = view === newest ? stayed : 0;
      newest = view;
      const opening = tools.length > 0 || there.isDirected ? [] : NOOP_OPENING;
      const shown = { system, tools, turns: turns.length > 0 ? turns : opening };
      return { ...shown, pinned: there.pinned, maxOutput: prompted.reserved.output, staying };
    },
    asked: async () => (await settled()).asked,
  };
}

type Trail = ReturnType<typeof createTrail>;

/**
 * What leads to an event, event by event.
 *
 * @param way in which the model was shown it lately
 */
function createTrail(way?: ViewOptions) {
  /** Of what stands before the newest call. */
  const views = new Map<ViewOptions, View>();
  /** From the newest call on, up to its decision. */
  const waiting: Event[] = [];
  const asked: ShownFor[] = [];
  const trail = {
    views,
    asked,
    way,
    pinned: "",
    isDirected: false,
    decision: undefined as number | undefined,
  };
  const show = (event: Event): void => {
    for (const view of views.values()) view.see(event);
    trail.isDirected ||= event.kind === "observed";
  };
  return Object.assign(trail, {
    prompted(): Prompted | undefined {
      const [first] = waiting;
      return first?.kind === "prompted" ? first : undefined;
    },
    see(event: Event): void {
      const isOver = event.kind === "prompted" || waiting.at(-1)?.kind === "decision";
      if (isOver) waiting.splice(0).forEach(show);
      if (event.kind === "prompted") trail.pinned = event.pinned ?? trail.pinned;
      else if (event.kind === "decision") {
        trail.decision = event.seq;
        if (waiting.length > 0 && isOfModel(event)) asked.push(shownFor(event));
      }
      if (event.kind === "prompted" || waiting.length > 0) waiting.push(event);
      else show(event);
    },
  });
}

/** The model call that led to event `last`. */
function findPrompted(trail: Trail, last: Event): Prompted {
  const { kind, seq } = last;
  if (kind !== "decision" && kind !== "prompted") {
    const advice = trail.decision === undefined ? "" : `, such as ${trail.decision}`;
    throw new LegionError("USAGE", `event ${seq} (${kind}) is no decision; name one${advice}`);
  }
  if (kind === "decision" && last.model === RULES)
    throw new LegionError("REFUSED", `decision ${seq} was made by rules: the model was not asked`);
  const prompted = trail.prompted();
  if (prompted) return prompted;
  throw new LegionError("REFUSED", `the model was not asked for decision ${seq}: an abort came first`);
}

async function readIntroduction(blobs: Blobs, hash: string): Promise<KeptIntroduction> {
  const text = await blobs.read(hash);
  if (text === undefined)
    throw new LegionError("REFUSED", `its system prompt is gone: there is no blob ${hash}`);
  return JSON.parse(text) as KeptIntroduction;
}

/** What the model's window may have been, as far as it matters: small ones show the longest messages without their middle. */
const WINDOWS = [Infinity, 32_768, 32_000, 16_384, 8_192, 8_000, 4_096, 4_000];

const PLAIN_WAYS: readonly ViewOptions[] = [toolsProtocol, textProtocol].flatMap((protocol) =>
  WINDOWS.flatMap((window) => (["keep", "forget"] as const).map((errors) => ({ protocol, window, errors }))),
);
/** Most agents are told no numbers. */
const WAYS: readonly ViewOptions[] = [
  ...PLAIN_WAYS,
  ...PLAIN_WAYS.map((way) => ({ ...way, numbers: "shown" as const })),
];

interface AskedOf {
  readonly prompted: Prompted;
  readonly protocol: Protocol;
  /** What leads to it, once more. */
  before(seq: number): AsyncIterable<Event>;
}

/**
 * The view of the agent's conversation whose hash the log names; `undefined`: a director showed its own words, and nothing of the
 * past. Once a way was tried, its view is kept up to date.
 */
async function findView(trail: Trail, { prompted, protocol, before }: AskedOf): Promise<View | undefined> {
  const { prompt, seq } = prompted;
  if (prompt === "") return undefined;
  const { views } = trail;
  const all = WAYS.filter((way) => way.protocol === protocol);
  const lately = all.filter((way) => way === trail.way);
  for (const ways of [
    lately,
    all.filter((way) => views.has(way)),
    all.slice(0, 1),
    all.filter(isPlain),
    all,
  ]) {
    const added = ways.filter((way) => !views.has(way)).map((way) => [way, createView(way)] as const);
    if (added.length > 0)
      for await (const event of before(seq)) for (const [, view] of added) view.see(event);
    for (const [way, view] of added) views.set(way, view);
    const way = ways.find((one) => views.get(one)!.chain === prompt);
    if (!way) continue;
    trail.way = way;
    return views.get(way);
  }
  const what = "a summary, or a question of an action's own";
  throw new LegionError("REFUSED", `event ${seq} was no call for a decision but ${what}, which is not kept`);
}

function isPlain({ numbers }: ViewOptions): boolean {
  return numbers === undefined;
}
