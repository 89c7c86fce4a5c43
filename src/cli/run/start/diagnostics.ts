// One file for each run under .ai-legion/logs/, for whoever has to find out what went wrong: what happened when, in
// brief. Texts stay in the event logs; keys are in neither.
//
//   K1. No secret that the config knows of is written, wherever it turns up.
//   K2. Nobody waits for it: pino is loaded when the work is under way, and what happened by then is written afterwards.

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LegionError } from "../../../base/errors.ts";
import type { Redactor } from "../../../base/redaction/redactor.ts";
import type { Event } from "../../../domain/event/event.ts";
import type { Inspect, Inspection } from "../../../domain/inspection.ts";

const LEVELS = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;
export type LogLevel = (typeof LEVELS)[number];
type Level = "error" | "warn" | "info" | "debug";
type Fields = Readonly<Record<string, unknown>>;

export interface Diagnostics {
  readonly see: Inspect;
  readonly note: (fields: Fields, text: string) => void;
  /** Resolves when everything is in the file. */
  close(): Promise<void>;
}

export interface DiagnosticsOptions {
  readonly folder: string;
  readonly level: LogLevel;
  readonly redactor: Redactor;
  /** Resolves when there is time to load what writes it. */
  readonly after: Promise<void>;
  /** Told once why nothing can be written; then nothing is. */
  readonly onFailure: (error: unknown) => void;
}

const KEPT_RUNS = 50;
const RUN_LOG = /^\d{4}-\d\d-\d\dT[\d-]+Z\.log$/;
const REDACTED = "[redacted]";
const SECRET_PATHS = ["apiKey", "authorization", "password", "token", '["x-api-key"]'].flatMap((path) => [
  path,
  path.startsWith("[") ? `*${path}` : `*.${path}`,
]);

/** Reads LEGION_LOG. Throws USAGE. */
export function readLogLevel(text: string | undefined): LogLevel {
  const level = LEVELS.find((name) => name === (text?.trim() || "info"));
  if (level) return level;
  throw new LegionError("USAGE", `LEGION_LOG: expected ${LEVELS.join(", ")}, not ${JSON.stringify(text)}`);
}

export function createDiagnostics(options: DiagnosticsOptions): Diagnostics {
  const { level, onFailure } = options;
  if (level === "silent")
    return { see: () => undefined, note: () => undefined, close: () => Promise.resolve() };
  let run: RunLog | undefined;
  let waiting: DiagnosticEntry[] | undefined = [];
  const log = (entry: DiagnosticEntry): void => {
    if (run) run.write(entry);
    else waiting?.push(entry);
  };
  const opened = openRunLog(options).then(
    (opening) => {
      waiting?.forEach(opening.write);
      run = opening;
    },
    (error: unknown) => {
      waiting = undefined;
      onFailure(error);
    },
  );
  return {
    see(inspection) {
      const entry = toEntry(inspection);
      if (entry) log(entry);
    },
    note: (fields, text) => log(["info", fields, text]),
    async close() {
      await opened;
      await run?.close();
    },
  };
}

type DiagnosticEntry = readonly [level: Level, fields: Fields, text: string];

interface RunLog {
  readonly write: (entry: DiagnosticEntry) => void;
  close(): Promise<void>;
}

async function openRunLog(options: DiagnosticsOptions): Promise<RunLog> {
  const { folder, level, redactor, after, onFailure } = options;
  await after;
  const { pino } = await import("pino");
  await dropOldRuns(folder);
  const dest = join(folder, `${new Date().toISOString().replace(/[:.]/g, "-")}.log`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = pino.destination({ dest, mode: 0o600, sync: false });
  await new Promise<void>((resolve, reject) => {
    file.once("ready", resolve);
    file.once("error", reject);
  });
  let failed = false;
  file.on("error", (error) => {
    if (!failed) onFailure(error);
    failed = true;
  });
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: REDACTED },
      hooks: { streamWrite: redactor.text },
    },
    file,
  );
  return {
    write: ([entryLevel, fields, text]) => logger[entryLevel](fields, text),
    close: () =>
      new Promise((resolve) => {
        if (failed) return resolve();
        file.once("close", resolve).once("error", resolve);
        file.end();
      }),
  };
}

async function dropOldRuns(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const runs = names.filter((name) => RUN_LOG.test(name)).sort();
  for (const name of runs.slice(0, -(KEPT_RUNS - 1))) await rm(join(folder, name), { force: true });
}

function toEntry(inspection: Inspection): DiagnosticEntry | undefined {
  const { agent } = inspection;
  if (inspection.kind === "event") return describeEvent(agent, inspection.event);
  if (inspection.kind !== "live:state") return undefined;
  const { state, reason } = inspection;
  const level = state === "halted" ? "error" : state === "retrying" || state === "parked" ? "warn" : "debug";
  return [level, { agent, ...(reason && { reason }) }, state];
}

function describeEvent(agent: string, event: Event): DiagnosticEntry {
  const { seq, kind } = event;
  const place = { agent, seq };
  switch (event.kind) {
    case "message":
      return ["info", { ...place, id: event.message.id, chars: event.message.content.length }, kind];
    case "decision": {
      const { model, usage, cost, stop, calls } = event;
      return ["info", { ...place, model, usage, cost, stop, calls: calls.map(({ action }) => action) }, kind];
    }
    case "result": {
      const { call, outcome, content } = event;
      const stack = stackIn(event.details);
      return ["info", { ...place, call, outcome, chars: content.length, ...(stack && { stack }) }, kind];
    }
    case "notice":
      return ["info", { ...place, reason: event.reason }, kind];
    case "summary":
      return ["info", { ...place, covers: event.covers, usage: event.usage, tokens: event.tokens }, kind];
    default:
      return ["debug", place, kind];
  }
}

/** What an action threw. */
function stackIn(details: unknown): string | undefined {
  const isThrown = typeof details === "object" && details !== null && "stack" in details;
  return isThrown && typeof details.stack === "string" ? details.stack : undefined;
}
