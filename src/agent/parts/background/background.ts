// Commands that go on between an agent's actions. A module's state says which of them it knows; this is what runs of them in
// this process. All end when the agent is closed here, and what a killed process left running ends when it is opened again.

import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LegionError, messageOf } from "../../../base/errors.ts";
import type { Disk } from "../../../base/files/disk.ts";
import { SHUTDOWN } from "../../../base/process/signals.ts";
import type { Redactor } from "../../../base/redaction/redactor.ts";
import type {
  BackgroundCommands,
  BackgroundOptions,
  CommandEnd,
} from "../../../domain/authoring/workspace.ts";
import { overhear } from "../overhear.ts";
import type { TracedWorkspace } from "../workplace.ts";
import { createOutputs, type Outputs, type OutputSink } from "./outputs.ts";

const MAX_COMMANDS = 8;
/** What cannot be started at all has said so by then. */
const STARTED_MS = 500;

export interface Background {
  /** What `module` may do: it sees those that it started itself. */
  of(module: string): BackgroundCommands;
  /** Ends what a process before this one left running. Rejects with STORAGE where that is not possible now. */
  endLeft(): Promise<void>;
  /** Does any of them run? */
  isRunning(): boolean;
  /** Ends all of them; nothing is started any more. */
  close(): Promise<void>;
}

export interface BackgroundPlace {
  /** Of the agent. */
  readonly folder: string;
  readonly disk: Disk;
  readonly redactor: Redactor;
  readonly workspace: TracedWorkspace;
  /** Of all that is started here, and what a process before this one may have left of it. */
  readonly mark: () => string;
  /** The right to run the agent is gone: so are they, at once. */
  readonly lost: AbortSignal;
}

interface Started {
  readonly stopping: AbortController;
  /** Resolves with what it came to; rejects if it could not be started. */
  readonly running: Promise<unknown>;
  /** Nothing of it runs, and all of it is written. Never rejects. */
  readonly over: Promise<void>;
  /** Absent: it runs. */
  readonly end: () => CommandEnd | undefined;
  /** In bytes. */
  readonly length: () => number;
  /** Emits `print`. */
  readonly prints: EventEmitter;
}

export function createBackground(place: BackgroundPlace): Background {
  const { folder, disk, redactor, workspace, mark, lost } = place;
  const outputs = createOutputs(join(folder, "background"), disk, redactor);
  const started = new Map<string, Started>();
  let isClosed = false;
  const abandon = (): void => started.forEach(({ stopping }) => stopping.abort(SHUTDOWN));
  lost.addEventListener("abort", abandon, { once: true });

  const stop = async (name: string): Promise<void> => {
    const one = started.get(name);
    one?.stopping.abort();
    await one?.over;
  };
  const forget = async (name: string): Promise<void> => {
    await stop(name);
    started.delete(name);
    await outputs.remove(name);
  };
  return {
    of: (module) => ({
      async start(command, { hosts, known, onOutput }) {
        const everything = new Set([...started.keys(), ...(await outputs.names()).all]);
        const others = [...everything].filter((name) => isOf(module, name) && !known.includes(name));
        await Promise.all(others.map(forget));
        if (isClosed) throw new LegionError("REFUSED", "The agent is being closed.");
        if (known.length >= MAX_COMMANDS)
          throw new LegionError("REFUSED", `There are ${MAX_COMMANDS} commands in the background already.`);
        const name = `${module}.${randomUUID().slice(0, 8)}`;
        const one = launch(place, { command, hosts, onOutput }, outputs.begin(name));
        started.set(name, one);
        await hasBegun(one).catch(async (error: unknown) => {
          await forget(name);
          throw error;
        });
        return name;
      },
      async read(name, from) {
        // In this order: what has ended prints no more.
        const one = started.get(name);
        const end = one ? one.end() : ((await outputs.end(name)) ?? "lost");
        return { ...(await outputs.read(name, from)), end };
      },
      async awaitMore(name, from, signal) {
        const one = started.get(name);
        while (one && !one.end() && one.length() <= from && !signal.aborted)
          // It rejects only when the signal aborts.
          await Promise.race([one.over, once(one.prints, "print", { signal }).catch(() => undefined)]);
      },
      stop,
    }),
    isRunning: () => [...started.values()].some(({ end }) => end() === undefined),
    endLeft: () => endLeft(outputs, () => workspace.endLeft(mark())),
    async close() {
      // The right may outlive the agent, which is held by nothing then.
      lost.removeEventListener("abort", abandon);
      isClosed = true;
      await Promise.all([...started.keys()].map(stop));
    },
  };
}

function isOf(module: string, name: string): boolean {
  return name.startsWith(`${module}.`);
}

function launch(
  { workspace, redactor, mark }: BackgroundPlace,
  order: { readonly command: string } & Pick<BackgroundOptions, "hosts" | "onOutput">,
  sink: OutputSink,
): Started {
  const stopping = new AbortController();
  const prints = new EventEmitter();
  const print = (chunk: Uint8Array): void => {
    sink.print(chunk);
    prints.emit("print");
  };
  const own = { mark: `${mark()}.${randomUUID()}`, print };
  const { trace, settle } = overhear(own, redactor, order.onOutput);
  const running = workspace.execute(order.command, {
    ...{ timeoutMs: Infinity, signal: stopping.signal, hosts: order.hosts, output: "traced" },
    trace,
  });
  let end: CommandEnd | undefined;
  const finish = async (came: CommandEnd): Promise<void> => {
    settle();
    const shown = redactor.value(came);
    // Of one that was ended here only the module says so, or nobody: then it was lost.
    await sink.close(stopping.signal.aborted ? undefined : shown);
    end = shown;
  };
  const over = running.then(
    ({ exitCode, ended, remarks }) => finish({ exitCode, ended, remarks }),
    (error: unknown) => finish({ exitCode: null, remarks: [messageOf(error)] }),
  );
  return { stopping, running, over, end: () => end, length: sink.length, prints };
}

/** Resolves soon, or when it is over already. */
async function hasBegun({ running, over }: Started): Promise<void> {
  await Promise.race([running.then(() => over), delay(STARTED_MS, undefined, { ref: false })]);
}

async function endLeft({ names }: Outputs, end: () => Promise<boolean>): Promise<void> {
  if ((await names()).open.length === 0) return;
  await end().catch((error: unknown) => {
    const why = `what its commands left running cannot be ended: ${messageOf(error)}`;
    throw new LegionError("STORAGE", why, { cause: error });
  });
}

function refuse(): Promise<never> {
  return Promise.reject(new LegionError("REFUSED", "Only a running action may do this."));
}

/** For an agent that does not act. */
export const CLOSED_BACKGROUND: Background = {
  of: () => ({ start: refuse, read: refuse, awaitMore: refuse, stop: refuse }),
  isRunning: () => false,
  endLeft: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
