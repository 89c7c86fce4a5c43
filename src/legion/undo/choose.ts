// What a person means to take back: of all that agents did, what counts to a message, or one result alone.

import { LegionError } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import { CONTROL, isMessageId, type AgentId } from "../../domain/message/message.ts";
import { createActs, type Act } from "../../past/undo/acts.ts";
import { foreign } from "../../storage/contract/foreign.ts";
import type { Reader } from "../../storage/contract/reader.ts";

export interface ChosenActs {
  /** Oldest first, agent by agent. */
  readonly acts: readonly Act[];
  /** Those that may have been done for something else as well: they were done after several first messages, and stay. */
  readonly shared: readonly Act[];
  /** An undo is taken back: the event of the log of Control with that number. */
  readonly ofControl?: number;
  /** Whose logs somebody else wrote: nothing that stands there is taken back. */
  readonly foreign: readonly AgentId[];
}

const EVENT = /^(.+)\.(\d+)$/;

type WrittenLogs = Pick<Reader, "known" | "events" | "isForeign">;

/**
 * What counts to `what`: a first message (all that `ps --by cause` counts to it), another message (what was done when it was the newest, and
 * what followed from what was said then), or an event such as `2.417` (that result alone). Throws USAGE if no log has it, FOREIGN if
 * only one that somebody else wrote may.
 */
export async function chooseActs(reader: WrittenLogs, what: string): Promise<ChosenActs> {
  const event = EVENT.exec(what);
  const known = await reader.known();
  if (isMessageId(what)) return ofMessage(reader, known, what);
  const [, agent = "", seq] = event ?? [];
  if (event && (agent === CONTROL || known.includes(agent))) {
    if (await reader.isForeign(agent)) throw foreign(agent);
    return agent === CONTROL
      ? { acts: [], shared: [], foreign: [], ofControl: await undoAt(reader, Number(seq)) }
      : { acts: [await resultOf(reader, agent, Number(seq))], shared: [], foreign: [] };
  }
  throw new LegionError(
    "USAGE",
    `${quote(what)} is neither a message, such as "0>2#1", nor an event, such as 2.417; \`legion ps --by cause\` and \`legion log\` show them`,
  );
}

/** Resolves with `seq`. */
async function undoAt(reader: Pick<Reader, "events">, seq: number): Promise<number> {
  for await (const event of seq > 0 ? reader.events(CONTROL, seq) : [])
    if (event.seq === seq && event.kind === "notice" && event.reason === "undo") return seq;
    else break;
  throw new LegionError("USAGE", `event ${seq} of log 0 is no undo; \`legion log 0\` shows which are`);
}

async function resultOf(reader: Pick<Reader, "events">, agent: AgentId, seq: number): Promise<Act> {
  const act = (await actsOf(reader, agent)).find((one) => one.seq === seq && one.outcome !== undefined);
  if (act) return act;
  throw new LegionError(
    "USAGE",
    `event ${seq} of agent ${agent} is no result of a call; \`legion log ${agent}\` shows which are`,
  );
}

async function actsOf(reader: Pick<Reader, "events">, agent: AgentId): Promise<readonly Act[]> {
  const acts = createActs(agent);
  for await (const event of reader.events(agent)) acts.see(event);
  return acts.all();
}

async function ofMessage(reader: WrittenLogs, known: readonly AgentId[], id: string): Promise<ChosenActs> {
  const all: Act[] = [];
  const others: AgentId[] = [];
  for (const agent of known)
    if (await reader.isForeign(agent)) others.push(agent);
    else all.push(...(await actsOf(reader, agent)));
  const isRoot = all.some(({ cause, roots }) => cause === id || roots.has(id));
  const mine = isRoot ? all.filter(({ cause }) => cause === id) : followed(all, id);
  if (!isRoot && mine.length === 0) {
    if (others[0] !== undefined) throw foreign(others[0]);
    throw new LegionError("USAGE", `nobody did anything for the message ${quote(id)}`);
  }
  const isShared = ({ roots }: Act): boolean => roots.size > 1;
  return { acts: mine.filter((act) => !isShared(act)), shared: mine.filter(isShared), foreign: others };
}

/** What was done for a message, and for what was said for it. */
function followed(all: readonly Act[], id: string): readonly Act[] {
  const ids = new Set([id]);
  const mine = new Set<Act>();
  for (let before = -1; before < mine.size;) {
    before = mine.size;
    for (const act of all) {
      if (mine.has(act) || act.message === undefined || !ids.has(act.message)) continue;
      mine.add(act);
      for (const sent of act.sends) ids.add(sent.id);
    }
  }
  return all.filter((act) => mine.has(act));
}
