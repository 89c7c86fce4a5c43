// Mail that holds commands: what came since the last decision is done in the next one, and answered in the one after.

import { elide } from "../../base/text/wording.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message/message.ts";
import { readAction } from "../protocol/text-search.ts";
import { CAPABILITIES, OFFLINE_HELP, readCommands, type Command, type Wanted } from "./commands.ts";
import type { Move, OfflineReply } from "./move.ts";
import type { ActionStep, OfflineView } from "./view.ts";

interface Errand {
  readonly from: AgentId;
  /** Empty: it could not be understood. */
  readonly commands: readonly Command[];
}

/** The longest answer, shared by all that it reports. */
const MAX_ANSWER_CHARS = 24_000;
const MIN_RESULT_CHARS = 500;
const MAX_SOURCE_CHARS = 80;

/** Its calls come first in a decision: so their results are known again. `waits`: what this agent is waiting for. */
export function errandMove(view: OfflineView, waits: readonly string[]): Move {
  const [before, last] = [view.decisions.at(-2), view.decisions.at(-1)];
  const begun = errandsIn(view, before?.at ?? -1, last?.at ?? -1);
  const fresh = errandsIn(view, last?.at ?? -1, Infinity);
  const calls = callsOf(fresh);
  const askers = [...new Set(fresh.map(({ from }) => displayName(from)))].join(" and ");
  return {
    says: calls.length > 0 ? `Doing what ${askers} asked for.` : "",
    calls,
    replies: [
      ...(callsOf(begun).length > 0 ? answer(begun, last?.steps ?? [], waits) : []),
      ...(calls.length === 0 ? answer(fresh, [], waits) : []),
    ],
  };
}

function callsOf(errands: readonly Errand[]): readonly Wanted[] {
  const commands = errands.flatMap((errand) => errand.commands);
  return commands.flatMap((command) => (command.kind === "call" ? [command.wanted] : []));
}

/** What was asked between two moments. What another agent says and is no command needs no answer. */
function errandsIn(view: OfflineView, after: number, until: number): readonly Errand[] {
  return view.mails.flatMap(({ at, from, text }) => {
    if (at <= after || at >= until || from === undefined) return [];
    const commands = understand(text, view.tools);
    const isAnswered = from === CONTROL || commands.some(({ kind }) => kind !== "mistake");
    const isSurvey = commands.length > 0 && commands.every(({ kind }) => kind === "survey");
    return isAnswered && !isSurvey
      ? [{ from, commands: commands.map((command) => orLack(command, view.tools)) }]
      : [];
  });
}

function understand(text: string, tools: ReadonlySet<string>): readonly Command[] {
  const commands = readCommands(text);
  return commands.length > 0 ? commands : readLiteral(text, tools);
}

/** A message that is one action in the text format, and nothing else. */
function readLiteral(text: string, tools: ReadonlySet<string>): readonly Command[] {
  const reading = readAction(text);
  if (reading.kind === "prose") return [];
  const source = text.trim().split("\n", 1)[0]!;
  if (reading.kind === "broken") {
    const reason = `I cannot read it: ${reading.mistake}.`;
    return tools.has(reading.name) ? [{ kind: "mistake", source, reason }] : [];
  }
  const { name, parameters } = reading.action;
  return tools.has(name) ? [{ kind: "call", source, wanted: { action: name, parameters } }] : [];
}

function orLack(command: Command, tools: ReadonlySet<string>): Command {
  if (command.kind !== "call" || tools.has(command.wanted.action)) return command;
  const { source, wanted } = command;
  if (wanted.action === "writeNote" && tools.has("recordNote"))
    return {
      ...command,
      wanted: { action: "recordNote", parameters: { content: source.slice("note".length).trim() } },
    };
  return { kind: "mistake", source, reason: `I have no action \`${wanted.action}\`.` };
}

/** `steps` begin with what came of the calls of `errands`. */
function answer(
  errands: readonly Errand[],
  steps: readonly ActionStep[],
  waits: readonly string[],
): readonly OfflineReply[] {
  const rest = [...steps];
  const maxChars = Math.max(MIN_RESULT_CHARS, Math.floor(MAX_ANSWER_CHARS / (steps.length || 1)));
  const texts = new Map<AgentId, string[]>();
  for (const { from, commands } of errands) {
    const parts = commands.map((command) => {
      const outcome = outcomeOf(command, command.kind === "call" ? rest.shift() : undefined);
      return `> ${elide(command.source, MAX_SOURCE_CHARS)}\n${elide(outcome, maxChars)}`;
    });
    const said = parts.length > 0 ? parts : [CAPABILITIES, ...waits];
    texts.set(from, [...(texts.get(from) ?? []), ...said]);
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
