// A legion as the page asks for it, answer by answer: the lines of a record that a page has in itself. `page/connection/record.ts`
// reads them.

import { isLegionError } from "../../base/errors.ts";
import type { Event } from "../../domain/event/event.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import { forkIn } from "../../past/branch.ts";
import { knotsShown } from "../../legion/knots/shown.ts";
import { withStandings } from "../../legion/waits.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { LookedUp, OverviewFrame, ReadingAnswer, ReadingQuestion } from "../api/readings.ts";
import { createReadings } from "../reading/readings.ts";
import type { WatchedLegion } from "../reading/watched.ts";
import type { ChosenRecord } from "./choice.ts";
import { createPromptLines, promptLines, type SavedPromptLine } from "./prompts.ts";

/** As it was asked for; empty: all of it. */
export interface SavedChoice {
  readonly root?: string;
  readonly agents?: readonly AgentId[];
  readonly since?: string;
  /** The report alone. */
  readonly report?: true;
}

/** One line each, as JSON. Paths are those of the readings. */
export type SavedLine =
  /** When, and which part of the record it is; times are ISO 8601. */
  | { readonly saved: string; readonly only: SavedChoice }
  | { readonly path: string; readonly answer: object }
  | { readonly path: string; readonly refused: string }
  /** The same as at another path. */
  | { readonly path: string; readonly as: string }
  /** The next event of a log, and the decision whose prompt was the newest by then. */
  | { readonly log: AgentId; readonly event: Event; readonly shown?: number }
  | SavedPromptLine;

type AskReading = <K extends LookedUp>(
  path: string,
  name: K,
  question: ReadingQuestion<K>,
) => Promise<SavedLine>;

const ALONE = ["moment", "changes", "costs", "conversation", "inbox", "dead", "questions"] as const;

/** What comes first is needed first. A person's purse is about all their projects: it is in none. */
export async function* recordLines(
  watched: WatchedLegion,
  chosen: ChosenRecord,
): AsyncGenerator<SavedLine, undefined> {
  const { reader } = chosen;
  const agents = await reader.known();
  const status = async () => {
    const all = await watched.status();
    return { ...all, agents: all.agents.filter(({ id }) => agents.includes(id)) };
  };
  const here = { ...watched, status, backend: { ...watched.backend, reader }, person: undefined };
  const readings = createReadings(here);
  const ask: AskReading = async (path, name, question) => {
    try {
      return { path, answer: await readings(name, question) };
    } catch (error) {
      if (!isLegionError(error)) throw error;
      return { path, refused: error.message };
    }
  };
  const { root, agents: asked, sinceMs } = chosen.choice;
  const since = sinceMs === undefined ? undefined : new Date(sinceMs).toISOString();
  yield { saved: new Date().toISOString(), only: { root, agents: asked, since } };
  yield { path: "/overview", answer: await overviewFrame(status) };
  for (const name of ALONE) yield ask(`/${name}`, name, {} as ReadingQuestion<typeof name>);
  yield ask("/report", "report", { since });
  yield { path: "/purse", answer: { periods: [] } satisfies ReadingAnswer<"purse"> };
  const tellPrompt = createPromptLines();
  for (const agent of [CONTROL, ...agents]) {
    yield* linesOf(agent, ask);
    const asked = new Set<number>();
    yield ask(`/conversation?of=${encodeURIComponent(agent)}`, "conversation", { of: agent });
    if (agent !== CONTROL)
      for await (const line of promptLines(agent, chosen, { tellPrompt, nextPrompt: watched.nextPrompt })) {
        if ("prompt" in line && line.shows.at !== null) asked.add(line.shows.at);
        yield line;
      }
    yield* logLines(agent, reader, asked);
  }
  yield* chainLines(reader, ask);
  return undefined;
}

async function overviewFrame(status: WatchedLegion["status"]): Promise<OverviewFrame> {
  const all = await status();
  const at = new Date().toISOString();
  const agents = withStandings(all.agents);
  return { at, whole: true, gone: [], away: null, ...all, agents, knots: knotsShown(agents) };
}

async function* linesOf(agent: AgentId, ask: AskReading): AsyncGenerator<SavedLine> {
  const base = `/agents/${encodeURIComponent(agent)}`;
  const about = await ask(base, "agent", { agent });
  yield about;
  const { notes = [] } = "answer" in about ? (about.answer as ReadingAnswer<"agent">) : {};
  for (const title of notes)
    yield ask(`${base}/notes/${encodeURIComponent(title)}`, "note", { agent, title });
  if (agent !== CONTROL) yield ask(`${base}/memory`, "memory", { agent });
}

/** @param asked the decisions whose prompts are told */
async function* logLines(
  agent: AgentId,
  reader: Reader,
  asked: ReadonlySet<number>,
): AsyncGenerator<SavedLine> {
  const shownBy = new Map<number, number | undefined>();
  let shown: number | undefined;
  for await (const event of reader.events(agent)) {
    const fork = forkIn(event);
    if (fork) shown = shownBy.get(fork.to);
    if (asked.has(event.seq)) shown = event.seq;
    shownBy.set(event.seq, shown);
    yield { log: agent, event, ...(shown !== undefined && { shown }) };
  }
}

/** Of every chain that one of these logs has to do with; it is found by each of its messages. */
async function* chainLines(reader: Reader, ask: AskReading): AsyncGenerator<SavedLine> {
  const roots = new Set<string>();
  for (const agent of [CONTROL, ...(await reader.known())])
    for (const root of (await reader.digest(agent)).correspondence.chains.keys()) roots.add(root);
  for (const root of roots) {
    const path = `/chains/${encodeURIComponent(root)}`;
    const chain = await ask(path, "chain", { message: root });
    yield chain;
    if (!("answer" in chain)) continue;
    for (const { id } of (chain.answer as ReadingAnswer<"chain">).messages)
      if (id !== root) yield { path: `/chains/${encodeURIComponent(id)}`, as: path };
  }
}
