// Jinja templates and regular expressions of Python, for whoever brings them along: what they come to is what Python makes of
// them, or an error. They may be hostile: they see the variables they are given and nothing else, in a thread with a limit of
// time and of memory, which is ended with them when they pass it.

import { Worker, type WorkerOptions } from "node:worker_threads";
import { isLegionError, LegionError, messageOf } from "../errors.ts";
import { NO_MEMORY } from "./python/values.ts";

/**
 * Every method rejects with a LegionError `CONFIG` if something is wrong with what it was given: one line without a capital or
 * a stop, to stand behind the name of the setting, such as `line 3: 'task' is undefined`, `it took longer than 1 s` or `it needs
 * more than 128 MB of memory`; `REFUSED` once closed.
 */
export interface Templates {
  /**
   * What Jinja2 renders with its defaults and StrictUndefined.
   *
   * @param variables what JSON can hold; a name whose value is `undefined` was not given. A whole number is an int and any
   * other a float; see `float`
   */
  render(source: string, variables: Readonly<Record<string, unknown>>): Promise<string>;
  /** What `re.findall(expression, text, re.DOTALL)` finds; of several groups, the first. */
  match(expression: string, text: string): Promise<readonly string[]>;
  /** Does `re.match(expression, text)` find anything: does `text` begin with what fits? */
  begins(expression: string, text: string): Promise<boolean>;
  /** Rejects if `source` is no template, or uses what is not supported. */
  check(source: string): Promise<void>;
  checkExpression(expression: string): Promise<void>;
  /** What has not been answered rejects. */
  close(): Promise<void>;
}

export interface TemplatesOptions {
  /** Closes them. */
  readonly signal?: AbortSignal;
  readonly start?: StartRenderer;
  /** How long the thread stays without a question; absent: 10 s. */
  readonly idleMs?: number;
}

/** Starts the thread that renders. */
export type StartRenderer = (options: WorkerOptions) => Worker;

export type TemplateQuestion =
  | {
      readonly asks: "render";
      readonly source: string;
      readonly variables: Readonly<Record<string, unknown>>;
    }
  | { readonly asks: "match" | "begins"; readonly expression: string; readonly text: string }
  | { readonly asks: "check"; readonly source: string }
  | { readonly asks: "checkExpression"; readonly expression: string };

export interface TemplateAnswer {
  readonly text?: string;
  readonly matches?: readonly string[];
  readonly begins?: boolean;
  /** What is wrong with the template or the expression. */
  readonly fault?: string;
}

const DEADLINE_MS = 1_000;
/** To start a thread takes longer than most templates do: whoever asks step after step finds it there. */
const IDLE_MS = 10_000;
/** Where a thread would end by itself, which takes the process along in some versions of Node. It is not to come to that. */
const LAST_HEAP_MB = 192;
/** What is rendered is soon forgotten. Whoever starts a command copies the table of all pages of this process. */
const YOUNG_HEAP_MB = 8;

/** What does not fit into the thread's memory at once ends the process, not the thread alone. */
const MAX_GIVEN = 16 * 1024 ** 2;
const VALUE_WEIGHT = 16;

interface Job {
  readonly question: TemplateQuestion;
  resolve(answer: TemplateAnswer): void;
  reject(reason: unknown): void;
}

interface Renderer {
  readonly worker: Worker;
  /** The number of the last job that it has done. */
  readonly answered: Int32Array;
  isReady: boolean;
  job: Job | undefined;
  number: number;
  /** Ends it: at something, after too long; at nothing, after a while. */
  timer: NodeJS.Timeout | undefined;
}

interface Desk {
  readonly start: StartRenderer;
  readonly idleMs: number;
  readonly waiting: Job[];
  /** Absent before the first job, and after one that had to be ended. */
  renderer: Renderer | undefined;
  isClosed: boolean;
}

/** A float that is whole, such as the 3.0 that a limit of cost may be: as a number it would be printed as `3`. */
export function float(value: number): unknown {
  return Object(value) as unknown;
}

/**
 * The thread starts with the first question, ends when there was none for a while, and keeps the process alive only while it has
 * one.
 */
export function openTemplates(options: TemplatesOptions = {}): Templates {
  const { signal, start = startCompiled, idleMs = IDLE_MS } = options;
  const desk: Desk = { start, idleMs, waiting: [], renderer: undefined, isClosed: false };
  const abort = (): void => void close(desk, signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    async render(source, variables) {
      const { text = "" } = await ask(desk, { asks: "render", source, variables });
      return text;
    },
    async match(expression, text) {
      const { matches = [] } = await ask(desk, { asks: "match", expression, text });
      return matches;
    },
    async begins(expression, text) {
      const { begins = false } = await ask(desk, { asks: "begins", expression, text });
      return begins;
    },
    async check(source) {
      await ask(desk, { asks: "check", source });
    },
    async checkExpression(expression) {
      await ask(desk, { asks: "checkExpression", expression });
    },
    async close() {
      signal?.removeEventListener("abort", abort);
      await close(desk, closed());
    },
  };
}

/** What `answer` comes to; where it rejects with CONFIG, `explain` words the error anew. */
export function explaining<T>(answer: Promise<T>, explain: (fault: string) => string): Promise<T> {
  return answer.catch((error: unknown) => {
    if (!isLegionError(error, "CONFIG")) throw error;
    throw new LegionError("CONFIG", explain(error.message), { cause: error });
  });
}

function closed(): LegionError {
  return new LegionError("REFUSED", "no template is rendered any more");
}

async function ask(desk: Desk, question: TemplateQuestion): Promise<TemplateAnswer> {
  if (desk.isClosed) throw closed();
  if (weigh(question) > MAX_GIVEN)
    throw new LegionError("CONFIG", `it is given more than ${MAX_GIVEN.toLocaleString("en")} characters`);
  const answer = await new Promise<TemplateAnswer>((resolve, reject) => {
    desk.waiting.push({ question, resolve, reject });
    begin(desk);
  });
  if (answer.fault !== undefined) throw new LegionError("CONFIG", answer.fault);
  return answer;
}

/** The characters of all texts in `value`, and something for each value; counted no further than past the limit. */
function weigh(value: unknown): number {
  const rest = [value];
  let weight = 0;
  while (rest.length > 0 && weight <= MAX_GIVEN) {
    const next = rest.pop();
    weight += VALUE_WEIGHT + (typeof next === "string" ? next.length : 0);
    if (typeof next !== "object" || next === null) continue;
    for (const [name, inner] of Object.entries(next)) {
      weight += name.length;
      rest.push(inner);
    }
  }
  return weight;
}

/** One at a time, so that only the one to blame ends with the thread. */
function begin(desk: Desk): void {
  while (desk.waiting.length > 0 && !desk.renderer?.job) {
    const renderer = (desk.renderer ??= startRenderer(desk));
    const job = desk.waiting.shift()!;
    try {
      renderer.worker.postMessage({ id: renderer.number + 1, question: job.question });
    } catch (error) {
      const reason = `a variable is nothing that a template can have: ${messageOf(error)}`;
      job.reject(new LegionError("CONFIG", reason, { cause: error }));
      continue;
    }
    clearTimeout(renderer.timer);
    renderer.number++;
    renderer.job = job;
    renderer.worker.ref();
    if (renderer.isReady) limit(desk, renderer);
  }
}

function startRenderer(desk: Desk): Renderer {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const worker = desk.start({
    workerData: shared,
    resourceLimits: { maxOldGenerationSizeMb: LAST_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    env: {},
  });
  worker.unref();
  const answered = new Int32Array(shared);
  const renderer: Renderer = {
    worker,
    answered,
    isReady: false,
    job: undefined,
    number: 0,
    timer: undefined,
  };
  worker.on("message", (message: TemplateAnswer | "ready") => {
    if (message !== "ready") return finish(desk, renderer, message);
    renderer.isReady = true;
    if (renderer.job) limit(desk, renderer);
  });
  worker.on("error", (error: Error & { readonly code?: unknown }) => {
    const isFull = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    end(desk, renderer, isFull ? NO_MEMORY : `it cannot be rendered: ${error.message}`);
  });
  worker.on("exit", () => end(desk, renderer, "it cannot be rendered: the thread that renders has ended"));
  return renderer;
}

function limit(desk: Desk, renderer: Renderer): void {
  renderer.timer = setTimeout(() => {
    // This process may have been busy itself: what is answered in time counts, however late it is read.
    if (Atomics.load(renderer.answered, 0) !== renderer.number)
      end(desk, renderer, `it took longer than ${DEADLINE_MS / 1_000} s`);
  }, DEADLINE_MS);
}

function finish(desk: Desk, renderer: Renderer, answer: TemplateAnswer): void {
  // What it left behind would be in the way of the next one.
  if (answer.fault?.endsWith(NO_MEMORY)) return end(desk, renderer, answer.fault);
  const { job } = renderer;
  clearTimeout(renderer.timer);
  renderer.job = undefined;
  renderer.worker.unref();
  job?.resolve(answer);
  begin(desk);
  if (renderer.job) return;
  renderer.timer = setTimeout(() => end(desk, renderer), desk.idleMs).unref();
}

/** @param fault what its job is to blame for; absent: it has none */
function end(desk: Desk, renderer: Renderer, fault?: string): void {
  if (desk.renderer !== renderer) return;
  desk.renderer = undefined;
  clearTimeout(renderer.timer);
  if (fault !== undefined) renderer.job?.reject(new LegionError("CONFIG", fault));
  void renderer.worker.terminate();
  begin(desk);
}

async function close(desk: Desk, reason: unknown): Promise<void> {
  desk.isClosed = true;
  const { renderer } = desk;
  desk.renderer = undefined;
  clearTimeout(renderer?.timer);
  for (const job of [renderer?.job, ...desk.waiting.splice(0)]) job?.reject(reason);
  await renderer?.worker.terminate();
}

/** The compiled one: there is none beside the sources. */
function startCompiled(options: WorkerOptions): Worker {
  return new Worker(new URL("./template-worker.js", import.meta.url), options);
}
