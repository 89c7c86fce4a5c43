// What the files of a project say, read without its lock and without writing anything: also while a node runs.

import { join } from "node:path";
import { pathTo } from "./branch.ts";
import type { Mail, Watermarks } from "./bus/bus.ts";
import { readMailbox } from "./bus/mailbox.ts";
import type { Event } from "./event.ts";
import { account, createLedger, type Ledger } from "./ledger.ts";
import { createBlobs, type Blobs } from "./log/blobs.ts";
import { createDisk, type Disk } from "./log/disk.ts";
import { readFileLog, type SeqRange } from "./log/file-log.ts";
import { CONTROL, isAgentId, type AgentId, type Message } from "./message.ts";
import type { Module } from "./module.ts";
import { legionPaths, type LegionPaths } from "./paths.ts";
import { createBranch, followLog, type Branch } from "./past.ts";
import { createProjections } from "./projection.ts";
import { foldState, type ModuleState } from "./state.ts";

export interface Reader {
  readonly paths: LegionPaths;
  /** Writes through it are left out. */
  readonly disk: Disk;
  blobs(agent: AgentId): Blobs;
  /** Agents that have a folder, Control not; 2 before 10. */
  known(): Promise<readonly AgentId[]>;
  /** From sequence number `from`, oldest first. */
  events(agent: AgentId, from?: number): AsyncIterable<Event>;
  ledger(agent: AgentId): Promise<Ledger>;
  /** What `create` makes of the active branch of a log, and what the whole of it adds up to. */
  follow<B extends Branch>(agent: AgentId, create: () => B): Promise<Followed<B>>;
  /** Mail that the log has not taken in, oldest first; `marks` is what the log has. */
  unread(agent: AgentId, marks: Watermarks): Promise<readonly Mail[]>;
  /** The state of `modules` as the agent would find it at a start: with what people changed in its files. */
  state(agent: AgentId, modules: readonly Module[]): Promise<ModuleState>;
  /** What the last start made of the agent. */
  record(agent: AgentId): Promise<AgentRecord>;
  /** All that was said to Control, oldest first. */
  inbox(): AsyncIterable<Message>;
}

export interface Followed<B> {
  readonly ledger: Ledger;
  readonly branch: B;
  /** What leads to the newest event. */
  readonly path: readonly SeqRange[];
}

/** `agent.json`; what is not there or not what it should be is absent. */
export interface AgentRecord {
  readonly description?: string;
  readonly definition?: string;
  readonly brief?: string;
  readonly modules?: readonly string[];
  readonly commands?: "allow";
  readonly model?: string;
}

export function createReader(project: string): Reader {
  const paths = legionPaths(project);
  const disk = readOnly(createDisk(paths.tmp));
  const blobs = (agent: AgentId): Blobs => createBlobs(paths.blobs(agent), disk);
  const events: Reader["events"] = (agent, from) =>
    readFileLog({ folder: paths.agent(agent), disk, blobs: blobs(agent) }, from);
  const ledgerOf: Reader["ledger"] = async (agent) => {
    const ledger = createLedger();
    for await (const event of events(agent)) account(ledger, event);
    return ledger;
  };
  const follow: Reader["follow"] = async (agent, create) => {
    const ledger = createLedger();
    const follower = followLog(create);
    for await (const event of events(agent)) {
      account(ledger, event);
      follower.see(event);
    }
    const branch = await follower.settle(() => events(agent));
    return { ledger, branch, path: pathTo(follower.forks) };
  };
  const unread: Reader["unread"] = async (agent, marks) =>
    (await readMailbox(join(paths.agent(agent), "mailbox"), disk, marks)).unread;
  return {
    paths,
    disk,
    blobs,
    known: async () => (await agentsIn(paths.agents, disk)).toSorted(byId),
    events,
    ledger: ledgerOf,
    follow,
    unread,
    async state(agent, modules) {
      const { state } = (await follow(agent, createBranch)).branch;
      const place = { disk, folder: paths.agent(agent), corruptFolder: paths.corrupt };
      const edits = await createProjections(modules, place).reconcile(state);
      for (const edit of edits) foldState(state, { ...edit, seq: 0, epoch: 0, at: "" });
      return state;
    },
    async record(agent) {
      return toRecord((await disk.read(join(paths.agent(agent), "agent.json")))?.toString("utf8") ?? "");
    },
    async *inbox() {
      const ledger = createLedger();
      for await (const event of events(CONTROL)) {
        account(ledger, event);
        if (event.kind === "message") yield event.message;
      }
      for (const { message } of await unread(CONTROL, ledger)) yield message;
    },
  };
}

/** The agents whose folders are in `folder`, Control not. A file in their place is nobody. */
export async function agentsIn(
  folder: string,
  disk: Pick<Disk, "list" | "kind">,
): Promise<readonly AgentId[]> {
  const ids = (await disk.list(folder)).filter(isAgentId);
  const kinds = await Promise.all(
    ids.map((id) => disk.kind(join(folder, id)).catch(() => "folder" as const)),
  );
  return ids.filter((_, index) => kinds[index] === "folder");
}

/** Numbers by their value. */
export function byId(a: AgentId, b: AgentId): number {
  return a.localeCompare(b, "en", { numeric: true });
}

function readOnly(disk: Disk): Disk {
  const nothing = (): Promise<void> => Promise.resolve();
  return { ...disk, sync: nothing, replace: nothing, remove: nothing };
}

function toRecord(json: string): AgentRecord {
  const { description, definition, brief, modules, commands, model } = parseObject(json);
  return {
    ...(typeof description === "string" && { description }),
    ...(typeof definition === "string" && { definition }),
    ...(typeof brief === "string" && { brief }),
    ...(isTexts(modules) && { modules }),
    ...(commands === "allow" && { commands }),
    ...(typeof model === "string" && { model }),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
