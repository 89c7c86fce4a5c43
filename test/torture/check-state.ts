// Module state is what the calls that went well add up to, and files show it.

import { isDeepStrictEqual } from "node:util";
import type { Call, Event } from "../../src/domain/event/event.ts";
import { isLeftOut } from "./carrier.ts";
import type { Evidence, Told } from "./evidence.ts";
import type { Report } from "./fault.ts";

/** Module -> key -> value. */
type State = Record<string, Record<string, unknown>>;

const MODULES = ["goals", "notes", "duties"];

export function checkState({ agents }: Told, report: Report): void {
  for (const [id, { log }] of agents) {
    for (const event of log.records) if (event.kind === "edited") report("edit", `${id}: event ${event.seq}`);
    const due = stateOfCalls(log.records);
    const committed = stateOfChanges(log.records);
    for (const module of MODULES)
      if (!isDeepStrictEqual(committed[module] ?? {}, due[module] ?? {}))
        report("state", `${id}: ${module} ${compare(committed[module], due[module])}`);
  }
}

export function checkFiles({ agents }: Evidence, report: Report): void {
  for (const [id, { log, files }] of agents) {
    const committed = stateOfChanges(log.records);
    const shown = stateOfFiles(files);
    for (const module of MODULES)
      if (!isDeepStrictEqual(shown[module] ?? {}, committed[module] ?? {}))
        report("file", `${id}: ${module} ${compare(shown[module], committed[module])}`);
  }
}

function compare(found: unknown, due: unknown): string {
  return `is ${JSON.stringify(found)}, not ${JSON.stringify(due)}`;
}

/** What the carriers' calls are given; each action reads its own. */
interface Given {
  readonly goal: string;
  readonly goalNumber: number;
  readonly title: string;
  readonly content: string;
  readonly from: string;
  readonly number: number;
  readonly route: readonly string[];
  readonly stop: number;
}

/** What modules do, said again: a call that came out `ok` changed the state, and one that ended well after an abort; no other. */
function stateOfCalls(events: readonly Event[]): State {
  const calls = new Map<string | null, Call>();
  const goals: { text: string; complete: boolean }[] = [];
  const notes: Record<string, unknown> = {};
  const duties: Record<string, unknown> = {};
  for (const event of events) {
    if (event.kind === "decision") for (const call of event.calls) calls.set(call.id, call);
    if (event.kind !== "result" || isLeftOut(event.content)) continue;
    if (event.outcome !== "ok" && event.outcome !== "idle") continue;
    const { action, parameters } = calls.get(event.call) ?? { action: "", parameters: {} };
    const given = parameters as Given;
    if (action === "addGoal") goals.push({ text: given.goal, complete: false });
    const goal = action === "completeGoal" ? goals[given.goalNumber - 1] : undefined;
    if (goal) goal.complete = true;
    if (action === "writeNote") notes[given.title] = given.content;
    if (action === "tally") {
      const key = `from ${given.from}`;
      const [count, sum] = (duties[key] ?? [0, 0]) as [number, number];
      duties[key] = [count + 1, sum + given.number];
    }
    if (action === "pass") {
      const key = `to ${given.route[given.stop]}`;
      duties[key] = ((duties[key] ?? 0) as number) + 1;
    }
  }
  return { ...(goals.length > 0 && { goals: { goals } }), notes, duties };
}

function stateOfChanges(events: readonly Event[]): State {
  const state: State = {};
  for (const event of events) {
    const changes =
      event.kind === "result"
        ? (event.state ?? [])
        : event.kind === "edited"
          ? [[event.module, event.key, event.value] as const]
          : [];
    for (const [module, key, value] of changes) {
      const values = (state[module] ??= {});
      if (value === null) delete values[key];
      else values[key] = value;
    }
  }
  return state;
}

function stateOfFiles(files: ReadonlyMap<string, string>): State {
  const json = (path: string): Record<string, unknown> =>
    JSON.parse(files.get(path) ?? "{}") as Record<string, unknown>;
  const notes = [...files].flatMap(([path, text]) => {
    const title = /^notes[\\/](.*)\.txt$/.exec(path)?.[1];
    return title === undefined ? [] : [[title, text] as const];
  });
  return { goals: json("goals.json"), duties: json("duties.json"), notes: Object.fromEntries(notes) };
}
