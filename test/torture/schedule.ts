// Which lives the process of a torture test has.

import type { Life } from "./nemesis.ts";
import type { RecordKind, SharpPoint } from "./sharp-disk.ts";

const OFTEN: readonly RecordKind[] = [
  "message",
  "decision",
  "approval",
  "result",
  "mail",
  "sends",
  "observed",
];
const SELDOM: readonly RecordKind[] = ["released", "steer", "look"];

/**
 * Lives that end at random moments until `kills` of them were killed: while a node starts and recovers, while its agents
 * work, between two system calls, in the middle of a write, while it stops, and while a `send` writes without a node.
 */
export function randomLives(random: () => number, kills: number) {
  const upTo = (most: number): number => Math.floor(random() * most);
  const sharp = (): SharpPoint => {
    const kind = [...OFTEN, ...SELDOM][upTo(OFTEN.length + SELDOM.length)]!;
    const at = (["after", "after", "torn", "replace", "effect"] as const)[upTo(5)]!;
    return at === "after"
      ? { at, kind, n: 1 + upTo(SELDOM.includes(kind) ? 3 : 25) }
      : { at, n: 1 + upTo(at === "torn" ? 60 : 15) };
  };
  return (killed: number, startMs: number): Life | undefined => {
    if (killed >= kills) return undefined;
    const host = { mode: "host", until: "killed", parcels: 2 + upTo(8) } as const;
    const kind = upTo(20);
    if (kind < 2) {
      // It may come to its end before that.
      return {
        ...host,
        mode: "send",
        parcels: 1 + upTo(3),
        fate: { signal: "SIGKILL", after: "spawn", ms: startMs * (0.3 + random()) },
      };
    }
    if (kind < 7)
      return { ...host, fate: { signal: "SIGKILL", after: "spawn", ms: startMs * (0.4 + 0.7 * random()) } };
    if (kind < 12) return { ...host, sharp: sharp(), fate: { signal: "SIGKILL", after: "ready", ms: 400 } };
    if (kind < 13)
      return { ...host, until: "said", fate: { signal: "SIGKILL", after: "ready", ms: upTo(100) } };
    return { ...host, fate: { signal: "SIGKILL", after: "ready", ms: upTo(300) } };
  };
}

/** One life for each of `points`, in their order; it ends by itself if it comes to rest before its point. */
export function sharpLives(points: readonly SharpPoint[], parcels: number) {
  let lived = 0;
  return (): Life | undefined => {
    const sharp = points[lived++];
    const fate = { signal: "SIGKILL", after: "spawn", ms: 20_000 } as const;
    return sharp && { mode: "host", until: "idle", parcels, sharp, fate };
  };
}

/** Lives by turns: one that is stopped at its work, and one in which it goes on as if nothing had happened. */
export function sleepingLives(random: () => number, count: number) {
  let lived = 0;
  return (): Life | undefined => {
    if (lived++ === count) return undefined;
    const signal = lived % 2 === 1 ? "SIGSTOP" : "SIGKILL";
    const ms = lived % 2 === 1 ? 20 + random() * 60 : 150;
    return { mode: "host", until: "killed", parcels: 6, fate: { signal, after: "ready", ms } };
  };
}
