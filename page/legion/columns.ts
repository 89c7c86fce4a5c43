// What is told of each agent, column by column: how it is ordered, and how it reads.

import { displayName } from "../../src/domain/message/message.ts";
import { requestWords } from "../../src/domain/message/request-words.ts";
import type { AgentStatus } from "../../src/legion/status.ts";
import { againstLimits, type Against } from "../parts/limit.tsx";
import { age, grouped, money, short } from "../parts/numbers.ts";

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly isNumber?: true;
  readonly first: "up" | "down";
  /** Absent values come last. */
  order(status: AgentStatus): string | number | null;
  text(status: AgentStatus, nowMs: number): string;
  /** What is told of it besides; absent or empty: its text. */
  hint?(status: AgentStatus): string;
}

const STATE_ORDER = [
  "asking",
  "halted",
  "parked",
  "retrying",
  "acting",
  "thinking",
  "waiting",
  "paused",
  "idle",
];

/** Why it does not go on, and what would wake it. */
export function whyOf({ state, reason, waitingFor, waits: parts }: AgentStatus): string {
  const isAtWork = state === "thinking" || state === "acting";
  const awaited = waitingFor
    .replace(/approve (\S+)/, "your answer to $1")
    .replace(/^(?!start)(.*), /, "$1 or ");
  const waits = awaited === "" ? "" : isAtWork ? awaited : `waits for ${awaited}`;
  const silent = parts.flatMap((wait) => (wait.for === "reply" && !wait.messages ? (wait.agents ?? []) : []));
  const replies = silent.length === 0 ? "" : `no reply yet of ${silent.map(displayName).join(", ")}`;
  return [reason, waits, ...requestWords(parts, Date.now()), replies].filter(Boolean).join(" · ");
}

/** What it has spent against each limit of its own. */
export function limitsOf({ limits, steps, tokens, cost, workedMs }: AgentStatus): readonly Against[] {
  return againstLimits(limits, { steps, tokens, cost, timeMs: workedMs });
}

function tightWords(status: AgentStatus): readonly string[] {
  return limitsOf(status).flatMap(({ words, standing }) =>
    standing === "" ? [] : [`${words}: ${standing}`],
  );
}

function hintOf(name: Against["name"]): (status: AgentStatus) => string {
  return (status) => limitsOf(status).find((one) => one.name === name)?.words ?? "";
}

export const COLUMNS: readonly Column[] = [
  { key: "name", title: "Agent", first: "up", order: ({ id }) => id, text: ({ name }) => name },
  {
    key: "state",
    title: "State",
    first: "up",
    order: ({ state }) => STATE_ORDER.indexOf(state) + 1 || STATE_ORDER.length + 1,
    text: ({ state }) => state,
  },
  {
    key: "why",
    title: "Why, and what it waits for",
    first: "up",
    order: (status) => whyOf(status),
    text: (status) => [whyOf(status), ...tightWords(status)].filter(Boolean).join(" · "),
  },
  {
    key: "since",
    title: "Since",
    isNumber: true,
    first: "up",
    order: ({ since }) => (since === null ? null : -Date.parse(since)),
    text: ({ since }, nowMs) => age(since, nowMs),
  },
  number("unread", "Unread", ({ unread }) => unread),
  number("held", "Held", ({ held }) => held),
  { ...number("steps", "Steps", ({ steps }) => steps), hint: hintOf("steps") },
  {
    ...number("tokens", "Tokens", ({ tokens }) => tokens),
    text: ({ tokens }) => short(tokens),
    hint: hintOf("tokens"),
  },
  { ...number("cost", "Cost", ({ cost }) => cost), text: ({ cost }) => money(cost), hint: hintOf("cost") },
  {
    key: "model",
    title: "Model",
    first: "up",
    order: ({ model }) => model,
    text: ({ model }) => model?.replace(/^[^/]*\//, "") ?? "–",
  },
  { key: "node", title: "Node", first: "up", order: ({ node }) => node, text: ({ node }) => node ?? "none" },
  { key: "mode", title: "Mode", first: "up", order: ({ mode }) => mode, text: ({ mode }) => mode },
];

function number(key: string, title: string, value: (status: AgentStatus) => number | null): Column {
  const text = (status: AgentStatus): string => grouped(value(status) ?? 0);
  return { key, title, isNumber: true, first: "down", order: value, text };
}

const COMPARED = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

export interface Sorting {
  readonly key: string;
  readonly way: "up" | "down";
}

/** Those of equal order stay in that of their ids. */
export function sorted(agents: readonly AgentStatus[], { key, way }: Sorting): readonly AgentStatus[] {
  const column = COLUMNS.find((one) => one.key === key)!;
  const sign = way === "up" ? 1 : -1;
  return agents
    .map((status) => ({ status, by: column.order(status) }))
    .sort((a, b) => {
      if (a.by === null || b.by === null) return Number(a.by === null) - Number(b.by === null);
      const isNumbers = typeof a.by === "number" && typeof b.by === "number";
      const order = isNumbers ? Number(a.by) - Number(b.by) : COMPARED.compare(String(a.by), String(b.by));
      return sign * order || COMPARED.compare(a.status.id, b.status.id);
    })
    .map(({ status }) => status);
}

/** Is every word in what the row says? A bare number is not looked for in a node, which has one of its own. */
export function fits(status: AgentStatus, words: readonly string[]): boolean {
  const { id, name, state, model, node, mode } = status;
  const text = [id, name, state, whyOf(status), model, mode].join(" ").toLowerCase();
  const home = (node ?? "").toLowerCase();
  return words.every((word) => text.includes(word) || (/\D/.test(word) && home.includes(word)));
}
