// Recomputes from what lies on the disk everything that must have come of a scenario, and says what did not.

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { goals } from "../../modules/goals.ts";
import { notes } from "../../modules/notes.ts";
import { sendsOf, type Event, type EventOf } from "../../src/domain/event/event.ts";
import type { Disk } from "../../src/base/files/disk.ts";
import { readFileLog } from "../../src/storage/files/log.ts";
import { readSegments } from "../../src/storage/files/journal/segments.ts";
import { CONTROL, parseMessageId, type AgentId, type Message } from "../../src/domain/message/message.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { createProjections } from "../../src/storage/folder/state-files.ts";
import { createModuleState, foldState } from "../../src/past/state.ts";
import type { Tearing } from "./files.ts";
import { AGENTS, PROJECT, type Outside } from "./scenario.ts";

const ALL = [CONTROL, ...AGENTS];
const paths = legionPaths(PROJECT);

type Logs = ReadonlyMap<AgentId, readonly Event[]>;

export async function readLogs(disk: Disk): Promise<Logs> {
  const logs = new Map<AgentId, Event[]>();
  for (const agent of ALL) {
    const files = { folder: paths.agent(agent), disk };
    const events: Event[] = [];
    for await (const event of readFileLog(files)) events.push(event);
    logs.set(agent, events);
  }
  return logs;
}

/** What is wrong right after a crash, before anything was started again; empty if nothing is. */
export async function auditCrash(disk: Disk, outside: Outside): Promise<readonly string[]> {
  const logs = await readLogs(disk);
  return [...lostEvents(logs, outside), ...strikesWithoutIntent(logs, outside), ...strikesTwice(outside)];
}

/** What is wrong after everybody has finished; empty if nothing is. */
export async function auditEnd(disk: Disk, outside: Outside, tearing: Tearing): Promise<readonly string[]> {
  const logs = await readLogs(disk);
  return [
    ...(await auditCrash(disk, outside)),
    ...mailProblems(logs, outside, tearing),
    ...callProblems(logs, outside),
    ...edits(logs),
    ...(await projectionProblems(disk, logs)),
    // Zeros in place of what nobody was promised are a damage all the same, and reported as one.
    ...(tearing === "holes" ? [] : [...gaps(logs), ...(await damages(disk))]),
  ];
}

function lostEvents(logs: Logs, { acknowledged }: Outside): string[] {
  return [...acknowledged].flatMap(([agent, events]) => {
    const found = new Map(logs.get(agent)!.map((event) => [event.seq, event]));
    return events
      .filter((event) => !isDeepStrictEqual(found.get(event.seq), JSON.parse(JSON.stringify(event))))
      .map(({ seq, kind }) => `agent ${agent} lost its ${kind} ${seq}`);
  });
}

/** `[mark, call]` of every strike that an agent decided on. */
function strikesOf(events: readonly Event[]): (readonly [mark: string, call: string])[] {
  return of(events, "decision").flatMap(({ calls }) =>
    calls.flatMap(({ id, action, parameters }) =>
      action === "strike" ? [[(parameters as { readonly mark: string }).mark, id] as const] : [],
    ),
  );
}

function strikesWithoutIntent(logs: Logs, { strikes }: Outside): string[] {
  const decided = new Set([...logs.values()].flatMap(strikesOf).map(([mark]) => mark));
  return strikes.filter((mark) => !decided.has(mark)).map((mark) => `"${mark}" was done without an intent`);
}

function strikesTwice({ strikes }: Outside): string[] {
  return repeats(strikes).map((mark) => `"${mark}" was done twice`);
}

/**
 * Per sender and recipient, what was sent has to be what was taken in, in order. Where zeros have hit mail that was being
 * taken in, some of it may be missing: then its recipient must have been told that it lost something.
 */
function mailProblems(logs: Logs, { said }: Outside, tearing: Tearing): string[] {
  const problems: string[] = [];
  const taken = new Set<string>();
  for (const to of ALL) {
    const events = logs.get(to)!;
    const isTold = tearing === "holes" && of(events, "notice").some(({ reason }) => reason === "gap");
    for (const from of ALL) {
      const sent = idsFrom(from, to, logs.get(from)!.flatMap(sendsOf));
      const heard = idsFrom(
        from,
        to,
        of(events, "message").map(({ message }) => message),
      );
      const wanted = isTold ? sent.filter((id) => heard.includes(id)) : sent;
      if (heard.join() !== wanted.join())
        problems.push(`${from} sent ${to} [${sent.join()}], but it has taken in [${heard.join()}]`);
      for (const id of isTold ? sent : heard) taken.add(id);
    }
  }
  return [
    ...problems,
    ...said.filter((id) => !taken.has(id)).map((id) => `${id} was said, and nobody heard it`),
  ];
}

function idsFrom(from: AgentId, to: AgentId, messages: readonly Message[]): readonly string[] {
  const ids = messages.map(({ id }) => id);
  return ids.filter((id) => parseMessageId(id).from === from && parseMessageId(id).to === to);
}

function callProblems(logs: Logs, { strikes }: Outside): string[] {
  const problems: string[] = [];
  for (const [agent, events] of logs) {
    const calls = of(events, "decision").flatMap((decision) => decision.calls.map(({ id }) => id));
    const closed = of(events, "result").map(({ call }) => call ?? "");
    if (closed.toSorted().join() !== calls.toSorted().join())
      problems.push(
        `agent ${agent} made ${calls.length} calls and has ${closed.length} results, not one for each`,
      );
    const outcomes = new Map(of(events, "result").map(({ call, outcome }) => [call, outcome]));
    for (const [mark, call] of strikesOf(events))
      if (outcomes.get(call) === "ok" && !strikes.includes(mark))
        problems.push(`"${mark}" is said to be done, and is not`);
    for (const { content, outcome } of of(events, "result"))
      if (outcome === "error") problems.push(`agent ${agent} failed: ${content}`);
  }
  return problems;
}

/** No person was there. */
function edits(logs: Logs): string[] {
  return [...logs].flatMap(([agent, events]) =>
    of(events, "edited").map(({ key }) => `agent ${agent} was told that a person edited ${key}`),
  );
}

function gaps(logs: Logs): string[] {
  return [...logs].flatMap(([agent, events]) => [
    ...(events.some(({ seq }, index) => seq !== index + 1)
      ? [`the numbers of agent ${agent} have a gap`]
      : []),
    ...of(events, "notice")
      .filter(({ reason }) => reason === "gap" || reason === "undeliverable")
      .map(({ content }) => `agent ${agent} was told: ${content}`),
  ]);
}

async function damages(disk: Disk): Promise<string[]> {
  const found: string[] = [];
  for (const agent of ALL)
    for (const folder of ["log", "mailbox"])
      for await (const segment of readSegments(join(paths.agent(agent), folder), disk))
        found.push(...segment.damages.map(({ file, offset }) => `${file} is damaged at ${offset}`));
  return found;
}

async function projectionProblems(disk: Disk, logs: Logs): Promise<string[]> {
  const problems: string[] = [];
  for (const agent of AGENTS) {
    const state = createModuleState();
    for (const event of logs.get(agent)!) foldState(state, event);
    state.before = [];
    const place = { disk, folder: paths.agent(agent), corruptFolder: paths.corrupt };
    const differences = await createProjections([goals, notes], place).reconcile(state);
    problems.push(
      ...differences.map(
        (edit) => `a file of agent ${agent} does not show its state: ${JSON.stringify(edit).slice(0, 200)}`,
      ),
    );
  }
  return problems;
}

function of<K extends Event["kind"]>(events: readonly Event[], kind: K): EventOf<K>[] {
  return events.filter((event): event is EventOf<K> => event.kind === kind);
}

function repeats(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}
