import { z } from "zod";
import { limitsSchema } from "../../domain/limits-schema.ts";
import { fieldsOf, readJson } from "../../base/text/json.ts";
import { pathTo } from "../../past/branch.ts";
import type { Mail, Watermarks } from "../../mail/bus.ts";
import type { Event, SeqRange } from "../../domain/event/event.ts";
import type { Digest } from "../../past/digest/digest.ts";
import type { StandingAtRest } from "../../past/digest/standing.ts";
import type { LogEnd } from "./digests/checkpoints.ts";
import { readDigest, readStanding, unbound, type Digested } from "./digests/digests.ts";
import type { DigestExcerpt } from "./digests/excerpt.ts";
import { account, createLedger, type Ledger } from "../../past/ledger.ts";
import { sha256, type Blobs } from "../../past/log/blobs.ts";
import type { LastStart } from "./last-start.ts";
import { CONTROL, type AgentId, type Message } from "../../domain/message/message.ts";
import type { Module } from "../../domain/authoring/module.ts";
import { createTraffic, type PeerTraffic } from "../../past/digest/traffic.ts";
import { createBranch, followLog, type Branch } from "../../past/fold.ts";
import type { ModuleState } from "../../past/state.ts";

/** What is recorded of a legion, wherever that is kept; also while it runs. Nothing is locked, and nothing is written but caches. */
export interface Reader {
  /** Control not; 2 before 10. */
  known(): Promise<readonly AgentId[]>;
  /** From sequence number `from`, oldest first, long texts included; none of an agent that nobody knows. */
  events(agent: AgentId, from?: number): AsyncIterable<Event>;
  /** The sequence number of the newest event, found without reading the others; 0 if there is none. */
  last(agent: AgentId): Promise<number>;
  ledger(agent: AgentId): Promise<Ledger>;
  /** What the log comes to, or came to at `end`; mostly without reading it from its beginning. */
  digest(agent: AgentId, end?: LogEnd): Promise<Digest>;
  /** The same, but no more than how the agent stands: mostly without reading anything of the log. */
  standing(agent: AgentId): Promise<StandingAtRest>;
  /** What `excerpt` makes of the digest: of many agents that nobody touched since it was asked last, without reading that. */
  excerpt<T>(agent: AgentId, excerpt: DigestExcerpt<T>): Promise<T>;
  /** All that is told of an agent that no process runs. */
  atRest(agent: AgentId): Promise<AgentAtRest>;
  /** What `create` makes of the active branch of a log, and what the whole of it adds up to. */
  follow<B extends Branch>(agent: AgentId, create: () => B): Promise<Followed<B>>;
  /** Mail that the log has not taken in, oldest first; `marks` is what the log has. */
  unread(agent: AgentId, marks: Watermarks): Promise<readonly Mail[]>;
  /** The state of `modules` as the agent would find it at a start. */
  state(agent: AgentId, modules: readonly Module[]): Promise<ModuleState>;
  /** What the last start made of the agent. */
  record(agent: AgentId): Promise<AgentRecord>;
  /** What the newest start hosted; `undefined` if nobody knows. */
  lastStart(): Promise<LastStart | undefined>;
  /** Did somebody else write what is kept of the agent, so that it waits for the person? */
  isForeign(agent: AgentId): Promise<boolean>;
  /** All that was said to Control, oldest first. */
  inbox(): AsyncIterable<Message>;
  /** Its long texts; what is to be kept is not. */
  blobs(agent: AgentId): Blobs;
}

export interface AgentAtRest {
  readonly standing: StandingAtRest;
  readonly record: AgentRecord;
  /** As `Reader.isForeign` has it. */
  readonly isForeign: boolean;
  /** As `Reader.unread` has it, by what `standing` says. */
  readonly unread: readonly Mail[];
}

export interface Followed<B> {
  readonly ledger: Ledger;
  /** Whom the agent wrote to and heard from. */
  readonly peers: ReadonlyMap<AgentId, PeerTraffic>;
  readonly branch: B;
  /** What leads to the newest event. */
  readonly path: readonly SeqRange[];
}

const textOrNot = z.string().optional().catch(undefined);

const choiceOrNot = z
  .union([z.literal("all"), z.array(z.string()).readonly()])
  .optional()
  .catch(undefined);

const worktree = z.literal("worktree");
/** A place that is shared also keeps there which folder of whose machine that is. */
const ownWorkspace = worktree
  .or(z.object({ is: worktree }).transform(({ is }) => is))
  .optional()
  .catch(undefined);

const keys = z.record(z.string(), z.unknown());
const source = z.object({ file: z.string().optional(), sum: z.string().optional(), said: keys });

const agentRecord = z.object({
  description: textOrNot,
  definition: textOrNot,
  brief: textOrNot,
  modules: z.array(z.string()).readonly().optional().catch(undefined),
  actions: z.array(z.string()).readonly().optional().catch(undefined),
  skills: choiceOrNot,
  mcp: choiceOrNot,
  workspace: ownWorkspace,
  model: textOrNot,
  /** What it may spend. */
  limits: limitsSchema.optional().catch(undefined),
  /** Which rules say what it does; absent: its model does. */
  director: textOrNot,
  /** Of one with a director: whose logs it observes. */
  observe: choiceOrNot,
  /** The memories that it reaches; of one with a director first that which it writes to. */
  memories: z.array(z.string()).readonly().optional().catch(undefined),
  /** By sections. */
  configuration: z.record(z.string(), keys).optional().catch(undefined),
  /** A configuration that it is, as it was said: files and what was typed. */
  sources: z.array(source).readonly().optional().catch(undefined),
});

/** What is not there or not what it should be is absent. */
export type AgentRecord = z.output<typeof agentRecord>;

/** Reads `agent.json`, or the same elsewhere. */
export function toRecord(json: string): AgentRecord {
  return agentRecord.parse(fieldsOf(readJson(json)));
}

/** What a place says of a legion, as it is kept there; also while somebody writes. */
export interface ReadPlace extends Pick<
  Reader,
  "known" | "events" | "last" | "unread" | "lastStart" | "blobs"
> {
  /** What the last start made of the agent, as JSON; `undefined` if nothing is known. */
  recordText(agent: AgentId): Promise<string | undefined>;
  /** Absent: nothing is kept of any log. */
  digested?(agent: AgentId): Promise<Digested>;
  /** Absent: nobody but the person writes there. */
  isForeign?: Reader["isForeign"];
  /** The same as `read` gives, which may be kept; absent: it is not. */
  atRest?(agent: AgentId, read: () => Promise<AgentAtRest>): Promise<AgentAtRest>;
  excerpt?<T>(agent: AgentId, excerpt: DigestExcerpt<T>, read: () => Promise<T>): Promise<T>;
}

/** @param place knows agents in any order, and its blobs may be kept */
export function createReader(place: ReadPlace): Reader {
  const { events, unread, last, lastStart, isForeign = () => Promise.resolve(false) } = place;
  const digested = async (agent: AgentId): Promise<Digested> =>
    (await place.digested?.(agent)) ?? { log: unbound((from) => events(agent, from)) };
  const follow: Reader["follow"] = async (agent, create) => {
    const ledger = createLedger();
    const traffic = createTraffic();
    const follower = followLog(create);
    for await (const event of events(agent)) {
      account(ledger, event);
      traffic.see(event);
      follower.see(event);
    }
    const branch = await follower.settle(() => events(agent));
    return { ledger, peers: traffic.peers, branch, path: pathTo(follower.forks) };
  };
  const record: Reader["record"] = async (agent) => toRecord((await place.recordText(agent)) ?? "");
  const standing: Reader["standing"] = async (agent) => readStanding(await digested(agent));
  const digest: Reader["digest"] = async (agent, end) => readDigest(await digested(agent), end);
  const readNow = (agent: AgentId) => readAtRest(agent, { standing, record, isForeign, unread });
  return {
    known: async () => (await place.known()).toSorted(byId),
    events,
    last,
    async ledger(agent) {
      const ledger = createLedger();
      for await (const event of events(agent)) account(ledger, event);
      return ledger;
    },
    digest,
    excerpt(agent, excerpt) {
      const read = () => excerptOf({ digest })(agent, excerpt);
      return place.excerpt?.(agent, excerpt, read) ?? read();
    },
    standing,
    atRest: (agent) => place.atRest?.(agent, () => readNow(agent)) ?? readNow(agent),
    follow,
    unread,
    state: async (agent) => (await follow(agent, createBranch)).branch.state,
    record,
    lastStart,
    isForeign,
    async *inbox() {
      const ledger = createLedger();
      const takenIn = async function* (): AsyncGenerator<Message> {
        for await (const event of events(CONTROL, ledger.last + 1)) {
          account(ledger, event);
          if (event.kind === "message") yield event.message;
        }
      };
      yield* takenIn();
      const waiting = await unread(CONTROL, ledger);
      // What was taken in meanwhile may be missing there.
      yield* takenIn();
      for (const { position, message } of waiting) if (position > ledger.taken) yield message;
    },
    blobs: (agent) => readOnly(place.blobs(agent)),
  };
}

/** What `Reader.atRest` gives, of one that tells it in parts. */
export async function readAtRest(
  agent: AgentId,
  reader: Pick<Reader, "standing" | "record" | "isForeign" | "unread">,
): Promise<AgentAtRest> {
  const asked = [reader.standing(agent), reader.record(agent), reader.isForeign(agent)] as const;
  const [standing, record, isForeign] = await Promise.all(asked);
  return { standing, record, isForeign, unread: await reader.unread(agent, standing.ledger) };
}

/** What `Reader.excerpt` gives, of one that keeps nothing but digests. */
export function excerptOf({ digest }: Pick<Reader, "digest">): Reader["excerpt"] {
  return async (agent, excerpt) => excerpt.of(agent, await digest(agent));
}

/** Keeps nothing. */
function readOnly(blobs: Blobs): Blobs {
  return { ...blobs, keep: (content) => Promise.resolve(sha256(content)) };
}

/** Made once: it takes longer than to compare many. */
const NUMERIC = new Intl.Collator("en", { numeric: true });

/** Numbers by their value. */
export function byId(a: AgentId, b: AgentId): number {
  return NUMERIC.compare(a, b);
}
