// An agent of the torture test: a model that carries parcels on and leaves traces of it everywhere, and the module that
// it does so with. The model is the only part that is scripted.

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { AgentId } from "../../src/domain/message/message.ts";
import type { Completion, Model, ModelRequest, RawCall } from "../../src/domain/model.ts";
import type { PolicyLayer } from "../../src/domain/policy/policy.ts";
import { defineAction, defineModule, ok, type Module } from "../../src/domain/authoring/module.ts";
import { GO_ON, read, write, type Handover } from "./parcel.ts";
import type { Host } from "../../src/domain/authoring/host.ts";

/** What a look comes to. */
export const LOOKED = "Looked around.";

/** How results begin of calls that were not run; the model is told nothing else. */
const LEFT_OUT = ["Not run: ", "Skipped: ", "Stopped by Control."];

export function isLeftOut(content: string): boolean {
  return LEFT_OUT.some((beginning) => content.startsWith(beginning));
}

/** What leaves a line outside; of those that are asked about a person is asked first. */
const OUTSIDE = {
  strike: "once",
  mark: "idempotent",
  askedStrike: "once",
  askedMark: "idempotent",
} as const;

export type OutsideAction = keyof typeof OUTSIDE;

export const ASKING: PolicyLayer = { by: "the test", as: "person", ask: ["action asked*"] };

/** One line of the file that stands for the world outside: something was done there. */
export interface Effect {
  readonly agent: AgentId;
  /** The id of the call that asked for it. */
  readonly intent: string;
  readonly action: OutsideAction;
  readonly parcel: string;
}

export interface DutyOptions {
  /** Leaves a line where effects are counted. */
  readonly leave: (effect: Effect, host: Host) => unknown;
  /** How long an action takes before that, and after it. */
  readonly pauseMs: () => number;
}

/** What a carrier does with a parcel besides what every agent can do. */
export function createDuties({ leave, pauseMs }: DutyOptions): Module {
  const outside = (action: OutsideAction) =>
    defineAction({
      description: "Leave a line outside",
      parameters: { intent: z.string(), parcel: z.string() },
      effects: OUTSIDE[action],
      async execute({ intent, parcel }, host) {
        await delay(pauseMs());
        await leave({ agent: host.agent.id, intent, action, parcel }, host);
        await delay(pauseMs());
        return ok("Done.");
      },
    });
  const look = defineAction({
    description: "Look around",
    parameters: { parcel: z.string() },
    effects: "reads",
    async execute() {
      await delay(pauseMs());
      return ok(LOOKED);
    },
  });
  return defineModule({
    name: "duties",
    projection: { kind: "file", name: "duties.json" },
    actions: {
      strike: outside("strike"),
      mark: outside("mark"),
      askedStrike: outside("askedStrike"),
      askedMark: outside("askedMark"),
      look,
      askedLook: look,
      tally: defineAction({
        description: "Count a parcel that came in",
        parameters: { from: z.string(), number: z.number() },
        effects: "none",
        execute({ from, number }, { state }) {
          const [count, sum] = (state.get(`from ${from}`) ?? [0, 0]) as [number, number];
          state.set(`from ${from}`, [count + 1, sum + number]);
          return ok("Counted.");
        },
      }),
      pass: defineAction({
        description: "Hand a parcel over to the next stop",
        parameters: {
          name: z.string(),
          route: z.array(z.string()),
          stop: z.number(),
          /** What it came with, where that needs an answer. */
          asked: z.string().optional(),
        },
        effects: "none",
        async execute({ name, route, stop, asked }, host) {
          const to = route[stop]!;
          const number = ((host.state.get(`to ${to}`) ?? 0) as number) + 1;
          host.state.set(`to ${to}`, number);
          const answers = asked?.startsWith(`${to}>`) ? [asked] : [];
          const isAsking = to !== "0" && sumOf(`${stop} of ${name}`) % 3 === 0;
          await host.send([to], write({ name, route, stop, number, from: host.agent.id }), {
            ...(isAsking && { needsAnswer: true as const }),
            answers,
          });
          return ok("Handed over.");
        },
      }),
      ask: defineAction({
        description: "Ask the neighbour whether anything is left, and wait for an answer",
        effects: "none",
        async execute(_, host) {
          const all = (await host.peers()).map(({ id }) => id).filter((id) => /^\d+$/.test(id));
          const own = all.indexOf(host.agent.id);
          const to = all[own % 2 === 0 ? own + 1 : own - 1] ?? all[0]!;
          await host.send([to], "Is anything left?", { needsAnswer: true });
          return ok("Asked.");
        },
      }),
      sum: defineAction({
        description: "Put a context into the long-term memory, which another one keeps",
        parameters: { parcel: z.string() },
        effects: "none",
        async execute({ parcel }, host) {
          await host.putContext({ content: `Context of ${parcel}`, upTo: 0 });
          return ok("Summed up.");
        },
      }),
    },
  });
}

/**
 * Deals with each parcel once: what a crash left undone it asks for again, what may have been done it lets be. Pinned
 * messages tell it which goal to complete; everything else it reads from the history.
 */
export function createCarrier(): Model {
  return {
    name: "carrier",
    provider: "carrier",
    profile: { window: 100_000_000, maxOutput: 1_000, tools: true, summarises: false },
    complete: (request) => Promise.resolve(answer(request)),
  };
}

function answer(request: ModelRequest): Completion {
  const carried = [...undone(request), ...news(request).flatMap((parcel) => duties(parcel, request))];
  const calls = carried.length === 0 && isToldToGoOn(request) ? [call("ask", {})] : carried;
  const usage = { input: 1, output: 1 };
  if (calls.length > 0) return { text: "", calls, usage, stop: "calls" };
  // Some decisions carry a message themselves: a plain answer goes to whoever spoke last.
  if (request.turns.length % 3 === 0) return { text: "Nothing left to do.", calls, usage, stop: "end" };
  return { text: "", calls: [call("noop", {})], usage, stop: "calls" };
}

type Step = readonly [action: string, parameters: object];

function duties(handover: Handover, { pinned, tools }: ModelRequest): readonly RawCall[] {
  const { name, route, stop, from, number, asked } = handover;
  const weight = sumOf(name) + stop;
  const next = stop + 1;
  const strike: Step = ["strike", { parcel: name }];
  const pass: Step = ["pass", { name, route, stop: next, asked }];
  const pending = /^(\d+)\) .*\[PENDING\]$/m.exec(pinned)?.[1];
  const tally: Step = ["tally", { from, number }];
  const orders: readonly (readonly Step[])[] = [
    [strike, tally, pass],
    [tally, pass, strike],
    [pass, strike, tally],
  ];
  const [first, ...others] = orders[sumOf(`${name} ${stop}`) % orders.length]!;
  const steps: readonly Step[] = [
    first!,
    ...(weight % 11 === 1 ? [["askedStrike", { parcel: name }] as const] : []),
    ...(weight % 17 === 2 ? [["askedMark", { parcel: name }] as const] : []),
    ...looks(name, weight),
    ...others,
    ...(weight % 3 === 0 ? [["mark", { parcel: name }] as const] : []),
    ...(weight % 4 === 0 ? [["writeNote", { title: `n${weight % 5}`, content: name }] as const] : []),
    ...(weight % 7 === 0 ? [["addGoal", { goal: `Carry ${name}` }] as const] : []),
    ...(weight % 7 === 3 && pending ? [["completeGoal", { goalNumber: Number(pending) }] as const] : []),
    ...(tools.some((tool) => tool.name === "remember") ? memories(name, stop) : []),
  ];
  return steps.map(([action, parameters]) => call(action, parameters));
}

/** What is entered is unlike everything else that is. */
function memories(name: string, stop: number): readonly Step[] {
  const weight = sumOf(`${stop} ${name}`);
  const remember: Step = ["remember", { text: `${name} was at stop ${stop}, naïvely “kept” 🜂` }];
  if (weight % 6 === 1) return [remember];
  return weight % 12 === 2 ? [["sum", { parcel: name }]] : [];
}

/** Neighbours that only read; a person has to be asked about one in the middle of some. */
function looks(name: string, weight: number): readonly Step[] {
  if (weight % 5 !== 1) return [];
  const look: Step = ["look", { parcel: name }];
  return weight % 15 === 1 ? [look, look, ["askedLook", { parcel: name }], look] : [look, look, look];
}

/** Whoever has nothing to do then asks whether others have: two of them tie a knot, unless one says something. */
function isToldToGoOn(request: ModelRequest): boolean {
  return sinceLast(request).some((turn) => turn.role === "user" && turn.text.endsWith(GO_ON));
}

function sinceLast({ turns }: ModelRequest): ModelRequest["turns"] {
  return turns.slice(turns.findLastIndex(({ role }) => role === "assistant") + 1);
}

/** The parcels that came since the last decision. */
function news(request: ModelRequest): readonly Handover[] {
  const parcels = sinceLast(request).map((turn) => (turn.role === "user" ? read(turn.text) : undefined));
  return parcels.filter((parcel) => parcel !== undefined);
}

/** What was not run of the last decision. What may have run is let be, and what a person does not want. */
function undone({ turns }: ModelRequest): readonly RawCall[] {
  const last = turns.findLastIndex(({ role }) => role === "assistant");
  const decision = turns[last];
  const results = turns[last + 1];
  if (decision?.role !== "assistant" || results?.role !== "results") return [];
  const skipped = results.results.filter(({ content }) => isLeftOut(content));
  const ids = new Set(skipped.map((result) => result.call));
  const calls = decision.calls.filter(({ id }) => ids.has(id));
  return calls.map(({ action, parameters }) => call(action, parameters as object));
}

function call(name: string, parameters: object): RawCall {
  const id = randomUUID();
  const intent = name in OUTSIDE ? { intent: id } : {};
  return { id, name, arguments: JSON.stringify({ ...parameters, ...intent }) };
}

export function sumOf(text: string): number {
  return [...text].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 7) % 1_000_003;
}
