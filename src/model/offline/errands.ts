// Mail that holds commands: all that came at once is done in one decision, and answered in the next.

import { elide } from "../../base/wording.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message.ts";
import { readAction } from "../protocol/text-search.ts";
import { CAPABILITIES, OFFLINE_HELP, readCommands, type Command, type Wanted } from "./commands.ts";
import { act, type Move, type OfflineReply } from "./move.ts";
import type { OfflineView, ActionStep } from "./prompt-reader.ts";

interface Errand {
  readonly at: number;
  readonly from: AgentId;
  /** Empty: it could not be understood. */
  readonly commands: readonly Command[];
}

/** So many calls in one decision, unless a single message wants more. */
const MAX_CALLS = 50;
/** The longest answer, shared by all that it reports. */
const MAX_ANSWER_CHARS = 24_000;
const MIN_RESULT_CHARS = 500;
const MAX_SOURCE_CHARS = 80;

/** What to do for the oldest errands, then for those after them. `waits`: what this agent is waiting for. */
export function* errandMoves(view: OfflineView, waits: () => readonly string[]): Generator<Move> {
  let { errands, steps, later } = nextRound(view);
  while (errands.length > 0) {
    const calls = callsOf(errands);
    if (calls.length > 0 && !steps) yield act(`Doing what ${askers(errands)} asked for.`, calls);
    else yield { kind: "tell", replies: answer(errands, steps ?? [], waits) };
    [errands, later] = takeRound(later);
    steps = undefined;
  }
}

function askers(errands: readonly Errand[]): string {
  return [...new Set(errands.map(({ from }) => displayName(from)))].join(" and ");
}

interface Round {
  readonly errands: readonly Errand[];
  readonly later: readonly Errand[];
  /** What came of its calls, once they are made. */
  readonly steps?: readonly ActionStep[];
}

/**
 * Errands come before everything else, so each decision since the agent last waited belonged to the oldest errands that
 * it saw, if there were any: first their calls, then their answer.
 */
function nextRound(view: OfflineView): Round {
  let left = errandsIn(view);
  let open: Round | undefined;
  for (const { at, steps } of view.decisions) {
    if (at <= view.idleAt) continue;
    if (open) {
      left = open.later;
      open = undefined;
      continue;
    }
    const [errands] = takeRound(left.filter((errand) => errand.at < at));
    const later = left.slice(errands.length);
    if (callsOf(errands).length > 0) open = { errands, later, steps };
    else left = later;
  }
  if (open) return open;
  const [errands, later] = takeRound(left);
  return { errands, later };
}

/** The first of `errands` whose calls fit into one decision, at least one; and the others. */
function takeRound(
  errands: readonly Errand[],
): readonly [first: readonly Errand[], others: readonly Errand[]] {
  let calls = 0;
  const end = errands.findIndex(
    (errand, index) => (calls += callsOf([errand]).length) > MAX_CALLS && index > 0,
  );
  return end === -1 ? [errands, []] : [errands.slice(0, end), errands.slice(end)];
}

function callsOf(errands: readonly Errand[]): readonly Wanted[] {
  return errands.flatMap(({ commands }) =>
    commands.flatMap((command) => (command.kind === "call" ? [command.wanted] : [])),
  );
}

/** What was asked since the agent last waited. What another agent says and is no command needs no answer. */
function errandsIn(view: OfflineView): readonly Errand[] {
  return view.mails.flatMap(({ at, mail: { from, text } }) => {
    if (at < view.idleAt || from === undefined) return [];
    const commands = understand(text, view.tools);
    const isAnswered = from === CONTROL || commands.some(({ kind }) => kind !== "mistake");
    const isSurvey = commands.length > 0 && commands.every(({ kind }) => kind === "survey");
    return isAnswered && !isSurvey
      ? [{ at, from, commands: commands.map((one) => orLack(one, view.tools)) }]
      : [];
  });
}

function understand(text: string, tools: ReadonlySet<string>): readonly Command[] {
  const commands = readCommands(text);
  return commands.length > 0 ? commands : readLiteral(text, tools);
}

function orLack(command: Command, tools: ReadonlySet<string>): Command {
  if (command.kind !== "call" || tools.has(command.wanted.action)) return command;
  return {
    kind: "mistake",
    source: command.source,
    reason: `I have no action \`${command.wanted.action}\`.`,
  };
}

/** A message that is one action in the text format, and nothing else. */
function readLiteral(text: string, tools: ReadonlySet<string>): readonly Command[] {
  const reading = readAction(text);
  if (reading.kind === "prose") return [];
  const source = text.trim().split("\n", 1)[0]!;
  const { name, parameters } =
    reading.kind === "action" ? reading.action : { name: reading.name, parameters: {} };
  if (!tools.has(name)) return [];
  if (reading.kind === "broken")
    return [{ kind: "mistake", source, reason: `I cannot read it: ${reading.mistake}.` }];
  return [{ kind: "call", source, wanted: { action: name, parameters } }];
}

function answer(
  errands: readonly Errand[],
  steps: readonly ActionStep[],
  waits: () => readonly string[],
): readonly OfflineReply[] {
  const rest = [...steps];
  const maxChars = Math.max(MIN_RESULT_CHARS, Math.floor(MAX_ANSWER_CHARS / (steps.length || 1)));
  const texts = new Map<AgentId, string[]>();
  for (const { from, commands } of errands) {
    const parts = commands.map((command) => {
      const outcome = outcomeOf(command, command.kind === "call" ? rest.shift() : undefined);
      return `> ${elide(command.source, MAX_SOURCE_CHARS)}\n${elide(outcome, maxChars)}`;
    });
    const text = parts.length > 0 ? parts.join("\n\n") : [CAPABILITIES, ...waits()].join("\n\n");
    texts.set(from, [...(texts.get(from) ?? []), text]);
  }
  return Array.from(texts, ([from, parts]) => ({ to: [from], text: parts.join("\n\n") }));
}

function outcomeOf(command: Command, step: ActionStep | undefined): string {
  if (command.kind === "help") return OFFLINE_HELP;
  if (command.kind === "mistake") return command.reason;
  if (command.kind === "survey") return "It is under way; what comes of it I will tell when it is done.";
  const { content = "", isError = true } = step?.result ?? {};
  return isError ? `That failed: ${content || "no reason was given."}` : content || "Done.";
}
