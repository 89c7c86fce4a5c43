// The life of one server: started, kept, started again where it goes, and given up where that comes to nothing.
// L1: a call that runs fails at once when the server goes. L2: a shutdown starts nothing anew. L3: who waits for the first
// attempt never waits for a later one.

import type { Client } from "@modelcontextprotocol/client";
import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import { cleanLine } from "../tools/text.ts";
import type { Link, OpenLink } from "./link.ts";

/** `why` is one sentence; `sinceMs` as the clock says it. */
export type Standing =
  | { readonly state: "starting"; readonly sinceMs: number }
  | { readonly state: "ready"; readonly sinceMs: number; readonly link: Link }
  | { readonly state: "restarting"; readonly sinceMs: number; readonly why: string }
  /** Until somebody asks for it. */
  | { readonly state: "away"; readonly sinceMs: number; readonly why: string };

export interface Connection {
  readonly standing: Standing;
  /** How often it was started again. */
  readonly restarts: number;
  /** Resolves when the first attempt has come to something, or `signal` aborts. */
  settled(signal: AbortSignal): Promise<void>;
  /** Rejects at once, with its state and why, where the server is away or goes meanwhile; else as `work` does. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A server that lived this long is no storm. */
const STEADY_MS = 60_000;
/** So often in a row it may go, or not come, until nobody tries any more but when it is asked for. */
const MAX_IN_A_ROW = 8;
const MAX_WHY = 800;

interface Life {
  readonly open: OpenLink;
  readonly clock: NodeHost["clock"];
  /** Aborts when the legion stops. */
  readonly signal: AbortSignal;
  readonly first: Gate;
  /** Those who are told when the server goes. */
  readonly asking: Set<(why: string) => void>;
  standing: Standing;
  restarts: number;
  /** How often it went too soon, or did not come, in a row. */
  inARow: number;
  /** How often it did not come, in a row. */
  notOpened: number;
  askFor: () => void;
}

/** Begins at once. */
export function keepConnected(name: string, open: OpenLink, clock: NodeHost["clock"]): Connection {
  const closing = new AbortController();
  const life: Life = {
    ...{ open, clock, signal: closing.signal, first: createGate(), asking: new Set() },
    standing: { state: "starting", sinceMs: clock.now() },
    ...{ restarts: 0, inARow: 0, notOpened: 0 },
    askFor: () => undefined,
  };
  const living = live(life);
  return {
    get standing() {
      return life.standing;
    },
    get restarts() {
      return life.restarts;
    },
    settled: async (until) => void (await Promise.race([life.first.opened, aborted(until)])),
    async use(work) {
      const { standing, asking } = life;
      if (standing.state !== "ready") {
        life.askFor();
        throw new Error(absence(name, standing));
      }
      const { leaving, tell } = createLeaving(name);
      asking.add(tell);
      try {
        return await Promise.race([work(standing.link.client), leaving]);
      } finally {
        asking.delete(tell);
      }
    },
    async close() {
      closing.abort();
      await living;
    },
  };
}

async function live(life: Life): Promise<void> {
  const { signal, clock, first } = life;
  while (!signal.aborted) {
    const why = await liveOnce(life);
    if (signal.aborted) break;
    await pause(life, why);
    if (!signal.aborted) life.restarts++;
  }
  life.standing = { state: "away", sinceMs: clock.now(), why: STOPPING };
  first.open();
}

const STOPPING = "The legion is stopping.";

/** Resolves with why it went, or did not come, when nothing of it is left. */
async function liveOnce(life: Life): Promise<string> {
  const { open, clock, signal, first, asking } = life;
  let link: Link;
  try {
    link = await open({ signal, failed: life.notOpened });
  } catch (error) {
    life.notOpened++;
    // It may be told in words of the server.
    return cleanLine((error as Error).message, MAX_WHY);
  }
  life.notOpened = 0;
  const sinceMs = clock.now();
  if (!signal.aborted) life.standing = { state: "ready", sinceMs, link };
  first.open();
  const why = await Promise.race([link.gone, aborted(signal)]);
  life.standing = { state: "restarting", sinceMs: clock.now(), why };
  for (const tell of asking) tell(why);
  await link.end();
  if (clock.now() - sinceMs >= STEADY_MS) life.inARow = 0;
  return why;
}

async function pause(life: Life, why: string): Promise<void> {
  const { clock, signal, first } = life;
  const sinceMs = clock.now();
  const isStorm = ++life.inARow >= MAX_IN_A_ROW;
  life.standing = { state: isStorm ? "away" : "restarting", sinceMs, why };
  const asked = createGate();
  life.askFor = asked.open;
  first.open();
  if (!isStorm)
    return clock.sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (life.inARow - 1)), signal);
  await Promise.race([asked.opened, aborted(signal)]);
  // One attempt for one question, and no sooner than the longest pause.
  await clock.sleep(Math.max(0, sinceMs + LONGEST_PAUSE_MS - clock.now()), signal);
}

function absence(name: string, standing: Exclude<Standing, { state: "ready" }>): string {
  switch (standing.state) {
    case "starting":
      return `The MCP server ${name} is starting. Try again in a few seconds.`;
    case "restarting":
      return `The MCP server ${name} is away and is being started again: ${standing.why}`;
    case "away":
      return `The MCP server ${name} is away; it went, or did not start, ${MAX_IN_A_ROW} times in a row: ${standing.why}`;
  }
}

interface Gate {
  readonly open: () => void;
  readonly opened: Promise<void>;
}

function createGate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** Rejects once it is told why the server went. */
function createLeaving(name: string) {
  let tell = (why: string): void => void why;
  const leaving = new Promise<never>((_, reject) => {
    tell = (why) =>
      reject(
        new Error(
          `The MCP server ${name} went while it was asked: ${why} What it did until then is unknown.`,
        ),
      );
  });
  return { leaving, tell: (why: string): void => tell(why) };
}

/** Of those who wait one after the other for the same signal none is left listening: there is one promise for each signal. */
const abortions = new WeakMap<AbortSignal, Promise<string>>();

function aborted(signal: AbortSignal): Promise<string> {
  let abortion = abortions.get(signal);
  if (!abortion) {
    abortion = new Promise((resolve) => {
      if (signal.aborted) resolve("It was ended.");
      else signal.addEventListener("abort", () => resolve("It was ended."), { once: true });
    });
    abortions.set(signal, abortion);
  }
  return abortion;
}
