// Commands that go on while the agent does something else. What it knows of them, and how far it has read what each printed,
// is part of its state, and so committed with the result that shows it.

import { z } from "zod";
import { defineAction, fail, ok } from "../../src/domain/authoring/module.ts";
import type { CommandEnd } from "../../src/domain/authoring/workspace.ts";
import { hostsIn, ofCommands, reaching, reasonOf, remarksOf, show, touchesOf } from "./command.ts";
import { linesOf, withoutEscapes } from "./text.ts";
import type { Host, State } from "../../src/domain/authoring/host.ts";

const KEY = "background";
const MAX_COMMANDS = 8;
const MAX_PINNED_LENGTH = 200;
/** How long a reader waits for more: who asks again and again would only spend. */
const PATIENCE_MS = 10_000;

const Command = z.object({
  /** What the agent calls it, from 1. */
  id: z.number(),
  /** What the workspace calls it. */
  name: z.string(),
  command: z.string(),
  hosts: z.array(z.string()).readonly(),
  /** When it was started, in milliseconds since 1970. */
  since: z.number(),
  /** How much of its output was read. */
  read: z.number(),
});
type Command = z.output<typeof Command>;

const Known = z.object({ last: z.number(), commands: z.array(Command) });
type Known = z.output<typeof Known>;

const idParameter = z.coerce.number().int().describe("Number of the command, as startCommand gave it");

export const startCommand = defineAction({
  description:
    "Start a command in the background that lasts, such as a server: read what it prints with `readCommand`. In a sandbox " +
    "other commands do not reach its ports; a Unix socket in /tmp they do",
  parameters: { command: ofCommands.command, network: ofCommands.network },
  touches: touchesOf,
  async execute({ command, network }, host) {
    const known = readKnown(host.state);
    if (known.commands.length >= MAX_COMMANDS) return fail(tooMany(known));
    const hosts = hostsIn(network);
    const names = known.commands.map(({ name }) => name);
    const name = await host.workspace.background.start(command, {
      hosts,
      known: names,
      onOutput: host.progress,
    });
    const started: Command = {
      id: known.last + 1,
      name,
      command,
      hosts,
      since: host.node.clock.now(),
      read: 0,
    };
    host.state.set(KEY, { last: started.id, commands: [...known.commands, started] });
    const { end } = await host.workspace.background.read(name, 0);
    if (end) return report(started, host);
    return ok(
      `Command ${started.id} runs in the background. See what it prints with \`readCommand\`, end it with \`stopCommand\`.`,
      { id: started.id, command, running: true },
    );
  },
});

export const readCommand = defineAction({
  description:
    "Read what a command in the background has printed since you last did, and whether it still runs; waits 10 s for more",
  parameters: {
    id: idParameter,
    filter: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Only lines that hold this text, or one of several as in error|warning; case does not count"),
  },
  effects: "none",
  touches: [],
  async execute({ id, filter }, host) {
    const command = find(id, host.state);
    if (typeof command === "string") return fail(command);
    const patience = AbortSignal.any([host.signal, AbortSignal.timeout(PATIENCE_MS)]);
    await host.workspace.background.awaitMore(command.name, command.read, patience);
    return report(command, host, filter);
  },
});

export const stopCommand = defineAction({
  description: "End a command in the background",
  parameters: { id: idParameter },
  effects: "idempotent",
  touches: [],
  async execute({ id }, host) {
    const command = find(id, host.state);
    if (typeof command === "string") return fail(command);
    await host.workspace.background.stop(command.name);
    return report(command, host);
  },
});

/** What the agent has there, for its prompt. */
export function pinnedCommands(state: State): string | undefined {
  const { commands } = readKnown(state);
  if (commands.length === 0) return undefined;
  const lines = commands.map(({ id, command }) => `- ${id}: ${shortened(command)}`);
  return [
    "Your commands in the background, by number; `readCommand` says what became of them:",
    ...lines,
  ].join("\n");
}

/** Says what is new of a command. One that does not run any more is told of once more, and forgotten. */
async function report(command: Command, host: Host, filter?: string) {
  const { id } = command;
  const { text, next, end } = await host.workspace.background.read(command.name, command.read);
  const shown = end ? text : wholeLines(text, filter);
  const read = next - Buffer.byteLength(text.slice(shown.length));
  const { last, commands } = readKnown(host.state);
  const others = commands.map((one) => (one.id === id ? { ...one, read } : one));
  host.state.set(KEY, { last, commands: end ? others.filter((one) => one.id !== id) : others });
  const lines = filtered(await withoutEscapes(shown), filter);
  const remarks = end && end !== "lost" ? remarksOf(end) : "";
  const is = end ? fate(end) : `runs (for ${lasted(host.node.clock.now() - command.since)})`;
  const content = `Command ${id} ${is}. ${await news(lines, host, filter)}${remarks}`;
  const details = { id, command: command.command, running: end === undefined, ...(end !== "lost" && end) };
  return reaching(command.hosts, ok(content, details));
}

/** To the second: whoever waits for it is not going round in circles. */
function lasted(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function fate(end: CommandEnd | "lost"): string {
  if (end === "lost")
    return "does not run any more: commands in the background end with the runtime that started them, and it was stopped";
  return end.ended === "aborted" ? "is stopped" : `has ended: ${reasonOf(end)}`;
}

interface Lines {
  readonly text: string;
  readonly passedOver: number;
}

async function news({ text, passedOver }: Lines, host: Host, filter: string | undefined): Promise<string> {
  const others =
    passedOver === 0 ? "" : ` (${linesOf(passedOver)} without ${JSON.stringify(filter)} left out)`;
  if (text.trim() === "") return `It has printed nothing new${others}.`;
  return `New output${others}:\n${await show(text, host)}`;
}

/** Of a command that prints more: the lines that are whole, or the beginning of the first one, which may be waited for. */
function wholeLines(text: string, filter: string | undefined): string {
  const end = text.lastIndexOf("\n") + 1;
  return end === 0 && filter === undefined ? text : text.slice(0, end);
}

/** A plain search: no filter takes longer than the text is long. */
function filtered(text: string, filter: string | undefined): Lines {
  if (filter === undefined) return { text, passedOver: 0 };
  const words = filter.toLowerCase().split("|").filter(Boolean);
  const wanted = words.length > 0 ? words : [filter];
  const lines = text.replace(/\n$/, "").split("\n");
  const fitting = lines.filter((line) => wanted.some((each) => line.toLowerCase().includes(each)));
  return { text: fitting.join("\n"), passedOver: text === "" ? 0 : lines.length - fitting.length };
}

function readKnown(state: State): Known {
  return Known.safeParse(state.get(KEY)).data ?? { last: 0, commands: [] };
}

/** A text says why there is none. */
function find(id: number, state: State): Command | string {
  const { commands } = readKnown(state);
  const known = commands.map((command) => command.id);
  const there = known.length === 0 ? "There are none." : `There are: ${known.join(", ")}.`;
  return (
    commands.find((command) => command.id === id) ?? `You have no command ${id} in the background. ${there}`
  );
}

function tooMany({ commands }: Known): string {
  const ids = commands.map(({ id }) => id).join(", ");
  return (
    `You have ${MAX_COMMANDS} commands in the background already: ${ids}. End one with \`stopCommand\`; one that has ended ` +
    "by itself is gone once you have read so."
  );
}

function shortened(command: string): string {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length <= MAX_PINNED_LENGTH
    ? line
    : `${line.slice(0, MAX_PINNED_LENGTH).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
