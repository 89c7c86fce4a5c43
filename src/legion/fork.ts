// A person has an agent go on from an earlier moment of its past: on a new branch of its own log, or as a new agent.

import { modeNotice, type ModeNotice } from "../domain/supervision.ts";
import { z } from "zod";
import { LegionError } from "../base/errors.ts";
import { forkPoint } from "../past/branch.ts";
import { fieldsOf, readJson } from "../base/text/json.ts";
import type { Module } from "../domain/authoring/module.ts";
import { HALT_REASONS } from "../past/run-state.ts";
import type { Memory } from "../past/past.ts";
import { displayName, isAgentId, type AgentId } from "../domain/message/message.ts";
import type { Store } from "../storage/contract/store.ts";
import type { Writer } from "../mail/log-access.ts";
import type { SeqRange } from "../domain/event/event.ts";
import { gapNotice, lostIn } from "../past/log/gaps.ts";

export const forkOrderSchema = z.strictObject({
  agent: z.string().describe("the id of an agent"),
  at: z.int().min(1).describe("the number of an event"),
  as: z.string().optional().describe("the id of a new agent"),
  held: z
    .literal(true)
    .optional()
    .describe(
      "The new agent begins in mode held: its calls with effects, and what it says to others, wait for you.",
    ),
  content: z
    .string()
    .optional()
    .describe("What the message or the result of that event says to the new agent in place of what it said."),
  model: z.string().optional().describe("The model of the new agent, in place of its own."),
});

/** `as` names the new agent that goes on from there; absent: the agent itself does, and nothing else can be said. */
export type ForkOrder = z.infer<typeof forkOrderSchema>;

export const forkedSchema = z
  .object({
    halt: z
      .object({ reason: z.enum(HALT_REASONS), content: z.string(), since: z.string() })
      .readonly()
      .optional()
      .describe("Why it rested at that moment, and so does now."),
    edited: z
      .array(z.tuple([z.string(), z.string()]).readonly())
      .readonly()
      .describe("What a person had changed by hand, and stays so: module and key of each."),
    lost: z
      .number()
      .optional()
      .describe("How many events of its past are damaged or gone; the agent is told. Absent: none."),
  })
  .readonly();

export type Forked = z.infer<typeof forkedSchema>;

export interface Forking {
  /** The event that it goes on from: of a decision, the last result; before one that was not finished. */
  readonly to: number;
  readonly done: Promise<Forked>;
}

export interface ForkOffice {
  readonly store: Store;
  /** `undefined` for an unknown agent. */
  writerFor(agent: AgentId): Writer | undefined;
  /** The modules whose state people read in files. */
  readonly readable: readonly Module[];
}

/** Throws USAGE or REFUSED, having written nothing, if this cannot be. */
export async function fork(order: ForkOrder, office: ForkOffice): Promise<Forking> {
  const { agent, at, as, held, content, model } = order;
  if (as === undefined && (held ?? content ?? model) !== undefined)
    throw new LegionError("USAGE", "what is changed, or held, needs a new agent: name one with --as");
  const writer = office.writerFor(agent);
  if (!writer) throw new LegionError("USAGE", `there is no agent ${JSON.stringify(agent)} to fork`);
  if (as !== undefined) await refuseId(as, office);
  const to = await forkPoint(office.store.events(agent), at, displayName(agent));
  if (content !== undefined) await refuseChange(order, to, office);
  const done = as === undefined ? goOn(agent, { to, writer }, office) : copy({ ...order, as }, to, office);
  return { to, done };
}

async function refuseId(id: AgentId, { store }: ForkOffice): Promise<void> {
  if (!isAgentId(id)) {
    const rule = "up to 64 of a-z, 0-9, `.`, `_` and `-`, such as 2b";
    throw new LegionError("USAGE", `--as: ${JSON.stringify(id)} cannot be the id of an agent; write ${rule}`);
  }
  if (await store.isTaken(id))
    throw new LegionError("USAGE", `--as: there is an agent ${JSON.stringify(id)} already; name a new one`);
}

/** Only what came from outside the agent can have been another. */
async function refuseChange({ agent, at }: ForkOrder, to: number, { store }: ForkOffice): Promise<void> {
  for await (const event of store.events(agent)) {
    if (event.seq < at) continue;
    const isGiven = event.kind === "message" || event.kind === "result";
    if (event.seq === at && isGiven && at <= to) return;
    break;
  }
  const way = "what can be changed is a message or a result that it goes on from";
  throw new LegionError("USAGE", `event ${at} of ${displayName(agent)} cannot be changed: ${way}`);
}

async function goOn(
  agent: AgentId,
  { to, writer }: { readonly to: number; readonly writer: Writer },
  { store, readable }: ForkOffice,
): Promise<Forked> {
  return writer.alone(async ({ memory }) => {
    await memory.commit({ kind: "branch", to }, ...(await unwatched(memory, to)));
    const branch = memory.ledger.last;
    await memory.reopen();
    // What told the agent of it may stand on the branch that it leaves.
    const lost = await lostBefore(memory, to);
    if (lost.length > 0) await memory.commit(gapNotice(lost));
    // Where nobody runs the agent, nobody has looked at its files yet.
    const files = store.projector(agent, readable);
    for (const event of await files.reconcile(memory.state)) {
      await memory.commit(event);
      if (event.kind === "edited") await files.write([[event.module, event.key, event.value]], memory.state);
    }
    const edited: [string, string][] = [];
    for await (const event of memory.read(branch))
      if (event.kind === "edited") edited.push([event.module, event.key]);
    const { halt } = memory.conversation;
    const count = lost.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    return { edited, halt, lost: count > 0 ? count : undefined };
  });
}

/** Ends the mode that the agent may have been in at `to`: that was said of another moment. */
async function unwatched(memory: Memory, to: number): Promise<readonly ModeNotice[]> {
  for await (const event of memory.read()) {
    if (event.seq > to) break;
    if (event.kind === "notice" && event.reason === "mode") return [modeNotice({ mode: "usual" })];
  }
  return [];
}

/** The events up to `to` that are gone, as the log has reported them later. */
async function lostBefore(memory: Memory, to: number): Promise<readonly SeqRange[]> {
  const lost: SeqRange[] = [];
  for await (const event of memory.read(to + 1)) lost.push(...lostIn(event).filter(([first]) => first < to));
  return lost;
}

async function copy(
  { agent: origin, at, as, held, content, model }: ForkOrder & { readonly as: AgentId },
  to: number,
  { store, readable }: ForkOffice,
): Promise<Forked> {
  const changed = content === undefined ? undefined : { seq: at, content };
  const past = {
    origin,
    events: store.events(origin),
    to,
    changed,
    held,
    blobs: store.blobs(origin),
    readable,
  };
  const record = await store.record(origin);
  const { conversation } = await store.found(as, past, record && renamed(record, { id: as, model }));
  return { edited: [], halt: conversation.halt };
}

/** What the last start made of one agent, for another. */
function renamed(
  record: string,
  { id, model }: { readonly id: AgentId; readonly model: string | undefined },
): string {
  const { id: _, name: __, ...rest } = fieldsOf(readJson(record));
  const other = model === undefined ? {} : { model };
  return `${JSON.stringify({ id, name: displayName(id), ...rest, ...other }, null, 2)}\n`;
}
