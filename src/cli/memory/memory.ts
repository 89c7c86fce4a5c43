// Long-term memories: which there are, what they hold, and what a person does with them. Each order is a file of its own.

import type { Command as Parser } from "commander";
import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import { quote } from "../../base/text/wording.ts";
import { LISTED, MAX_LISTED } from "../../domain/memory/record.ts";
import type { CliCommand, Typed } from "../kit/command.ts";
import { addJsonOption, addLegionOptions, eachTime, withSite } from "../kit/target.ts";
import type { Ordered } from "./order.ts";

interface MemoryOrder {
  /** What follows it, and what it does, for the help. */
  readonly takes: string;
  readonly says: string;
  /** How many words follow it, at least and at most. */
  readonly words: readonly [least: number, most: number];
  /** Those of its options that not every order has. */
  readonly options: readonly string[];
  load(): Promise<{ order(ordered: Ordered): Promise<number> }>;
}

const ANY = Infinity;
const OVERVIEW: MemoryOrder = {
  ...{ takes: "", says: "the memories that there are", words: [0, 0], options: [] },
  load: () => import("./overview.ts"),
};

const ORDERS: Readonly<Record<string, MemoryOrder>> = {
  search: {
    takes: "<words...>",
    says: "what was said that is like these words, the best first",
    words: [1, ANY],
    options: ["role", "speaker", "since", "until", "tag", "limit"],
    load: () => import("./search.ts"),
  },
  list: {
    ...{ takes: "", says: "the newest entries, oldest first", words: [0, 0], options: ["limit"] },
    load: () => import("./list.ts"),
  },
  show: {
    ...{ takes: "<number>", says: "an entry, or a shard of the context, whole", words: [1, 1], options: [] },
    load: () => import("./show.ts"),
  },
  context: {
    takes: "",
    says: "the document that is made of the entries; --all: older and stray ones, too",
    words: [0, 0],
    options: ["all"],
    load: () => import("./context.ts"),
  },
  flush: {
    takes: "",
    says: "have the context made of what was said until now",
    words: [0, 0],
    options: [],
    load: () => import("./flush.ts"),
  },
  keep: {
    ...{ takes: "<agent>", says: "let this agent make the context from now on", words: [1, 1], options: [] },
    load: () => import("./keep.ts"),
  },
  forget: {
    takes: "[numbers...]",
    says: "erase what was said, and each document that was made of it",
    words: [0, ANY],
    options: ["thread", "speaker", "query", "before", "reason", "yes"],
    load: () => import("./forget/forget.ts"),
  },
  export: {
    ...{ takes: "<file>", says: "all of a memory as a file of JSON lines", words: [1, 1], options: [] },
    load: () => import("./moving/export.ts"),
  },
  import: {
    takes: "<file>",
    says: "take in such a file, into a memory that is new or empty",
    words: [1, 1],
    options: ["append", "trust"],
    load: () => import("./moving/import.ts"),
  },
  eval: {
    takes: "<file>",
    says: "how well questions are answered: LoCoMo or LongMemEval; the same again goes on",
    words: [1, 1],
    options: ["model", "limits", "yes", "trust"],
    load: () => import("./eval/eval.ts"),
  },
};

export const ORDER_NAMES = Object.keys(ORDERS);

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("[order]", `${ORDER_NAMES.join(", ")}; without one, the memories that there are`)
      .argument("[args...]", "what the order takes")
      .option("--memory <vault/memory>", "which one, if not main/legion, or the only one there is");
    addOptions(parser);
    addJsonOption(addLegionOptions(parser)).addHelpText("after", ordersHelp());
  },
  async run(typed, io) {
    const [name, ...args] = typed.args;
    const order = name === undefined ? OVERVIEW : Object.hasOwn(ORDERS, name) ? ORDERS[name]! : refuse(name);
    check(name ?? "", order, typed);
    const { order: run } = await order.load();
    return withSite(typed, io, (site) => run({ typed: { ...typed, args }, io, site }));
  },
};

function addOptions(parser: Parser): void {
  parser
    .option("--role <role>", "search: user, what people said, or assistant, what agents said")
    .option("--speaker <agent>", "search, forget: what this agent said; 0 is you")
    .option("--since <time>", "search: what was said from then on: 2026-03-01, or 7d for so long ago")
    .option("--until <time>", "search: what was said up to then")
    .option("--tag <name=value>", "search: what has this tag; again for more", eachTime)
    .option(
      "--limit <number>",
      `search, list: how many at most (list: ${LISTED} if left out, never over ${MAX_LISTED})`,
    )
    .option("--all", "context: older shards, and those that do not count, too")
    .option("--thread <thread>", "forget: what was said in this conversation, such as 0,2")
    .option("--query <words>", "forget: what holds each of these words")
    .option("--before <time>", "forget: what was said before then: 2026-03-01, or 90d for so long ago")
    .option("--reason <text>", "forget: why; it is kept")
    .option("--yes", "forget, eval: without a question")
    .option("--model <name>", "eval: of the scribe; offline costs nothing")
    .option("--limits <limits>", "eval: of all of it together, such as cost=2")
    .option("--append", "import: add the entries that are not there yet; the context is left out")
    .option("--trust", "import: take the file for one of your own, its context included; eval: as start");
}

function ordersHelp(): string {
  const lines = Object.entries(ORDERS).map(([name, { takes, says }]) => [`${name} ${takes}`.trim(), says]);
  const width = Math.max(...lines.map(([usage = ""]) => usage.length));
  return ["", "Orders:", ...lines.map(([usage = "", says]) => `  ${usage.padEnd(width)}  ${says}`)].join(
    "\n",
  );
}

function refuse(name: string): never {
  const [meant] = nearest(name, ORDER_NAMES);
  const advice = meant ? `did you mean \`legion memory ${meant}\`?` : `there are ${ORDER_NAMES.join(", ")}`;
  throw new LegionError("USAGE", `\`legion memory\` has no order ${quote(name)}; ${advice}`);
}

const OF_ALL = ["dir", "bus", "name", "run", "json", "memory"];

function check(name: string, { takes, words: [least, most], options }: MemoryOrder, typed: Typed): void {
  const usage = `legion memory ${name} ${takes}`.trim();
  const many = Math.max(0, typed.args.length - 1);
  if (many < least || many > most)
    throw new LegionError("USAGE", `expected \`${usage}\`${many > most ? ", and nothing behind it" : ""}`);
  const stray = Object.keys(typed.options).find((one) => ![...OF_ALL, ...options].includes(one));
  if (stray === undefined && (name !== "" || typed.options["memory"] === undefined)) return;
  const option = stray ?? "memory";
  const owners = Object.keys(ORDERS).filter(
    (one) => option === "memory" || ORDERS[one]!.options.includes(option),
  );
  throw new LegionError(
    "USAGE",
    `--${option} is not for \`${usage}\`; it goes with \`legion memory ${owners.join("|")}\``,
  );
}
