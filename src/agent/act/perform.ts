// One call that may run: run with its unit of work, and turned into a result. Nothing is committed here.

import type { Clearance, Performed, Performer, ReadyCall } from "../parts/agent.ts";
import type { Clock } from "../../base/clock.ts";
import type { Call, ResultEvent } from "../../domain/event/event.ts";
import { isLegionError, messageOf } from "../../base/errors.ts";
import { isTakenOver } from "./mode.ts";
import { permits } from "../parts/permits.ts";
import { PLAIN, recipientOf } from "../think/answer.ts";
import { actingHost, keepText, maxResultTokens, type RunningAction } from "./module-host.ts";
import { createProgress } from "./progress.ts";
import { fail, type ActionResult } from "../../domain/authoring/module.ts";
import { ownFrame, showPlace } from "../../base/process/own-code.ts";
import { SHUTDOWN } from "../../base/process/signals.ts";
import { redactLong } from "../../base/redaction/long.ts";
import { laneOf } from "../../domain/message/message.ts";
import { owedTo } from "../../past/waiting/waiting.ts";
import { markOf, type Taint } from "../../domain/message/taint.ts";
import { beginTouching, beginWriting } from "./touched.ts";
import { owning, strayOwner } from "../../base/async-owner.ts";
import { fitTokens } from "../../model/tokens/tokens.ts";
import { beginWork, type Work } from "./unit-of-work.ts";

export const STOPPED = "Stopped by Control.";
export const STEERED = "Skipped: new instructions arrived.";
export const TAKEN_OVER = "Not run: the person took over.";
const LEFT = `${STOPPED} The action did not end by itself: what it began may still go on.`;
const DONE = "Done.";
const NO_RESULT = "returned no result: it has to return ok(text), fail(text) or idle().";
const NOBODY: RunningAction["beside"] = new Set();
/** How long an action may take to end after it was told to. */
const GRACE_MS = 2_000;

/**
 * Runs one call that may run. What the action throws becomes an `error` result; an abort an `idle` one.
 * Rejects when the log fails, and with SHUTDOWN if that left the call's outcome unknown.
 */
export async function perform(
  performer: Performer,
  ready: ReadyCall,
  signal: AbortSignal,
): Promise<Performed> {
  const { call, touched: touches } = ready;
  // Since it was judged it may have waited for others to end.
  if (isSteered(performer)) return (await closeCall(performer, call)("idle", STEERED)).performed;
  if (isTakenOver(performer)) return (await closeCall(performer, call)("error", TAKEN_OVER)).performed;
  const work = beginWork(performer, call.id);
  const endTouching = beginTouching(performer, ready);
  const writing = beginWriting(performer, ready);
  const progress = createProgress(performer, call);
  const named = { call: call.id, action: call.action };
  performer.presence.call({ ...named, phase: "running", touches });
  const running = { work, signal, ready, progress: progress.tell, beside: writing?.beside ?? NOBODY };
  const { result, isKept } = await run(performer, ready, running).finally(progress.settle);
  work.end();
  const { outcome, details, leads, keeps, submission } = result;
  writing?.end({ hasWritten: outcome !== "error" || touches.some(({ kind }) => kind !== "write") });
  performer.presence.call({ ...named, phase: "ended", outcome, touches });
  const taint = markOf(result.taint);
  // What templates word stands as they have it.
  const mayBeEmpty = outcome === "idle" || performer.wording !== undefined;
  const content = mayBeEmpty ? result.content : result.content || DONE;
  const event: ResultEvent = {
    kind: "result",
    call: call.id,
    outcome,
    content: await fit(performer, await redactLong(performer.redactor, content)),
    details,
    state: isKept && work.changes.length > 0 ? work.changes : undefined,
    sends: isKept ? sentBy(work, taint) : undefined,
    taint,
    leads,
    keeps,
    submission,
    unkept: work.files.unkept.length > 0 ? work.files.unkept : undefined,
    changed: work.files.changed,
    touched: endTouching(outcome, work.told),
    // Read by its commit: until then a model call may begin that the action did not wait for.
    get usage() {
      return work.usage;
    },
  };
  return { result: event, refused: work.refused };
}

/** Did a person give new instructions that are not taken in? Then nothing begins. */
export function isSteered({ inbox }: Pick<Performer, "inbox">): boolean {
  return inbox.ahead().some(({ message }) => laneOf(message) === "steer");
}

/** The messages of an action, if there are any, marked as its result is. */
export function sentBy({ sends }: Work, taint: Taint | undefined): ResultEvent["sends"] {
  if (sends.length === 0) return undefined;
  return taint ? sends.map((message) => ({ ...message, taint: markOf(message.taint, taint) })) : sends;
}

interface EndedAction {
  readonly result: ActionResult;
  /** Is what the action staged part of its result? */
  readonly isKept: boolean;
}

/** Closes calls that do not run. */
export function closeCall(performer: Performer, { id, action }: Call) {
  return async (
    outcome: "idle" | "error",
    content: string,
  ): Promise<Extract<Clearance, { kind: "closed" }>> => {
    const event: ResultEvent = { kind: "result", call: id, outcome, content: await fit(performer, content) };
    performer.presence.call({ call: id, action, phase: "ended", outcome, touches: [] });
    return { kind: "closed", performed: { result: event, refused: [] } };
  };
}

async function run(
  performer: Performer,
  { action, module, parameters }: ReadyCall,
  running: RunningAction,
): Promise<EndedAction> {
  const { shared, tenure, workplace, memory } = performer;
  const { signal } = running;
  // What is done outside follows from what the log says so far (L4).
  if (action.effects !== "none") await memory.settled();
  if (signal.aborted) return dropped("idle", STOPPED, signal);
  try {
    const execute = async (): Promise<ActionResult> => {
      tenure.check();
      const returned: unknown = await action.execute(parameters, actingHost(performer, module, running));
      return isResult(returned) ? returned : fail(`${running.ready.call.action} ${NO_RESULT}`);
    };
    const result = await unlessDeaf(shared.clock, unlessAstray(execute), signal);
    if (!result) return dropped("idle", LEFT, signal);
    if (result.submission !== undefined && !signal.aborted)
      await answerWith(performer, result.submission, running);
    const isKept = result.outcome !== "error";
    if (!signal.aborted || signal.reason === SHUTDOWN) return { result, isKept };
    // It came to an end of its own, so what it says is known, and shown.
    const content = isKept ? result.content : `${STOPPED}\n\n${result.content}`;
    return { result: { ...result, outcome: "idle", content }, isKept };
  } catch (error) {
    if (isLegionError(error, "STORAGE")) throw error;
    return signal.aborted ? dropped("idle", STOPPED, signal) : thrown(workplace.workspace.root, error);
  }
}

/** Whoever gave the task is told what was handed in; where that may not be, it stands in the log alone. */
async function answerWith(
  { memory }: Performer,
  submission: string,
  { work, ready }: RunningAction,
): Promise<void> {
  const to = recipientOf(memory.conversation);
  if (to === undefined || submission.trim() === "") return;
  const isPermitted = (): boolean => permits(ready.leave, { kind: "send", to });
  const answers = owedTo(memory.conversation.waiting, to);
  await work
    .send([to], { content: submission, answers, details: PLAIN }, isPermitted)
    .catch((error: unknown) => {
      if (!isLegionError(error, "REFUSED")) throw error;
    });
}

const OUTCOMES: readonly unknown[] = ["ok", "error", "idle"] satisfies ActionResult["outcome"][];

/** No compiler looks after modules in plain JavaScript. */
function isResult(returned: unknown): returned is ActionResult {
  const { outcome, content } = (returned ?? {}) as Partial<Record<string, unknown>>;
  return OUTCOMES.includes(outcome) && typeof content === "string";
}

const MAX_STACK = 4_000;

/** What an action threw, with its first line of the user's own code; the stack is for people. */
function thrown(root: string, error: unknown): EndedAction {
  const content = messageOf(error);
  if (isLegionError(error) || !(error instanceof Error)) return dropped("error", content);
  const place = ownFrame(error, root);
  const at = place ? ` (at ${showPlace(place, root)})` : "";
  const details = { stack: String(error.stack).slice(0, MAX_STACK) };
  return { result: { outcome: "error", content: content + at, details }, isKept: false };
}

/** A result that keeps nothing of what was staged. Throws at a shutdown: what the call came to is not known. */
function dropped(outcome: "idle" | "error", content: string, signal?: AbortSignal): EndedAction {
  if (signal?.reason === SHUTDOWN) throw SHUTDOWN;
  return { result: { outcome, content }, isKept: false };
}

/** What the action comes to. Rejects as well with what goes astray in it; what does so later is its agent's. */
function unlessAstray(execute: () => Promise<ActionResult>): Promise<ActionResult> {
  const outer = strayOwner();
  return new Promise((resolve, reject) => {
    let isOver = false;
    const take = (error: unknown): void => (isOver ? outer?.(error) : reject(error as Error));
    const execution = owning(take, () => Promise.resolve().then(execute));
    void execution.then(resolve, reject).finally(() => (isOver = true));
  });
}

/** What the action comes to; `undefined` if it is told to stop and does not. */
async function unlessDeaf(
  clock: Clock,
  execution: Promise<ActionResult>,
  signal: AbortSignal,
): Promise<ActionResult | undefined> {
  let grace: AbortController | undefined;
  let leave = (): void => undefined;
  const left = new Promise<undefined>((resolve) => {
    leave = () => {
      grace = new AbortController();
      void clock.sleep(GRACE_MS, grace.signal).then(() => resolve(undefined));
    };
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([execution, left]);
  } finally {
    grace?.abort();
    signal.removeEventListener("abort", leave);
  }
}

/** The text as the model can take it; a longer one is kept whole beside the log. */
async function fit(performer: Performer, content: string): Promise<string> {
  const maxTokens = maxResultTokens(performer.memory, performer.model.profile);
  const fitted = fitTokens(content, maxTokens);
  if (fitted === content) return content;
  return `${fitted}\n\n(The whole text is in ${await keepText(performer, content)}.)`;
}
