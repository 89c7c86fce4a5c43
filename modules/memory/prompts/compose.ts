// What the scribe's model is shown, whole: who it is, what it has to do, what was said, and by which rules.

import type { HeardMessage, SessionHistory } from "../../../src/domain/authoring/director.ts";
import { quoted } from "../show.ts";
import type { Rules } from "./rules.ts";

const PREFIX =
  "You are the memory agent of this legion. You listen to a conversation between a person and AI agents, and you store, find " +
  "and keep up what has to be remembered of it, accurately.";

/** The user turn of every question. */
export const EXECUTE = "Execute the required operation.";

const LABELS: Readonly<Record<string, string>> = {
  get_context: "Previous session context:",
  list_entries: "Recent entries:",
};
const ENTRY_RULES = "ENTRY CAPTURE RULES";
const SUMMARY_RULES = "SUMMARY GENERATION RULES";
const CONTEXT_RULES = "CONTEXT MAINTENANCE RULES";
const FROM_OUTSIDE = "(text from outside, left out)";
const NONE = "(none)";

export interface EntryQuestion {
  /** `<vault>/<memory>`. */
  readonly memory: string;
  readonly history: SessionHistory;
  readonly message: HeardMessage | undefined;
  /** The history may have so many characters: the newest of it. */
  readonly maxChars: number;
  /** And the message: the beginning of it. It is kept whole all the same. */
  readonly maxMessage: number;
}

/** Throws where there is nothing to process, or what a session begins with was not read. */
export function entryPrompt(
  { memory, history, message, maxChars, maxMessage }: EntryQuestion,
  { entry_capture_prompt, summary_prompt }: Pick<Rules, "entry_capture_prompt" | "summary_prompt">,
): string {
  if (history.opening.length === 0)
    throw new Error("No conversation history found: START_SESSION may have failed.");
  if (!message) throw new Error("No message to process.");
  return joined(
    PREFIX,
    `Current operation: PROCESS_MESSAGE\n${placeOf(memory)}`,
    `Previous conversation context:\n\n${showHistory(history, maxChars)}`,
    `Current message to process:\nRole: ${message.role}\nSpeaker: ${message.speaker}\nSaid: ${message.said}\nContent:\n${quoted(shortened(message.content, maxMessage))}`,
    "INSTRUCTION: Call the tool add_entry for this one message, by the rules that follow.",
    section(ENTRY_RULES, entry_capture_prompt),
    section(SUMMARY_RULES, summary_prompt),
  );
}

/** What was said, word for word. */
export type RawEntry = Pick<HeardMessage, "role" | "speaker" | "said"> & { readonly raw: string };

export interface ContextQuestion {
  readonly memory: string;
  /** The current document; empty: there is none. */
  readonly context: string;
  /** Since then, oldest first. */
  readonly entries: readonly RawEntry[];
}

/** Throws where there is nothing to make a context of. */
export function contextPrompt(
  { memory, context, entries }: ContextQuestion,
  { context_prompt }: Pick<Rules, "context_prompt">,
): string {
  if (context === "" && entries.length === 0) throw new Error("No conversation history to synthesize.");
  return joined(
    PREFIX,
    `Current operation: CONTEXT_SYNTHESIS\n${placeOf(memory)}`,
    `Current context:\n${context === "" ? NONE : quoted(context)}`,
    `What was said since, word for word:\n\n${entries.map(showRaw).join("\n\n") || NONE}`,
    "INSTRUCTION: Call the tool put_context with the new context document, by the rules that follow.",
    section(CONTEXT_RULES, context_prompt),
  );
}

/** What questions have in common: who is asked, and by which rules. */
export function standingPrompt({ entry_capture_prompt, summary_prompt, context_prompt }: Rules): string {
  return joined(
    PREFIX,
    section(ENTRY_RULES, entry_capture_prompt),
    section(SUMMARY_RULES, summary_prompt),
    section(CONTEXT_RULES, context_prompt),
  );
}

/** The same question with what was wrong with the answer before. */
export function askedAgain(prompt: string, fault: string): string {
  return joined(prompt, section("YOUR LAST ANSWER WAS NOT TAKEN", fault));
}

/** Whatever stands in it, it is one part. */
function section(heading: string, text: string): string {
  return `---\n${heading}:\n${withoutHeadings(text)}`;
}

/** What nobody sees, and a model may still read past. */
const UNSEEN = /[\p{Cf}\p{Mn}]+/gu;
/** What parts begin with: three hyphens, or what looks like them, and their names. */
const HEADING =
  /^\s*(?:[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]{3,}\s*$|(?:instruction|current operation|previous conversation context|current message to process|current context|what was said since, word for word|entry capture rules|summary generation rules|context maintenance rules|your last answer was not taken)\s*:)/i;

/** With a backslash before each line that would look like the beginning of another part. */
function withoutHeadings(text: string): string {
  return text.replace(/[^\n\r\u2028\u2029\u0085\v\f]+/g, (line) =>
    HEADING.test(line.replace(UNSEEN, "")) ? `\\${line}` : line,
  );
}

function joined(...parts: readonly string[]): string {
  return parts.join("\n\n");
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")} […]`;
}

function placeOf(memory: string): string {
  const [vault = "", name = ""] = memory.split("/");
  return `Vault ID: ${vault}\nMemory ID: ${name}`;
}

/** What the session began with, and of its messages the newest that have room. */
function showHistory({ opening, messages }: SessionHistory, maxChars: number): string {
  const begun = opening.map(({ action, content, taint }) => {
    const text = taint === undefined ? content : FROM_OUTSIDE;
    return `${LABELS[action] ?? action}\n${text}`;
  });
  const shown: string[] = [];
  let left = maxChars - begun.join("\n\n").length;
  for (const { role, speaker, content, taint } of messages.toReversed()) {
    const text = `${role} (${speaker}):\n${taint === undefined ? quoted(content) : FROM_OUTSIDE}`;
    left -= text.length;
    if (left < 0) break;
    shown.unshift(text);
  }
  return [...begun, ...shown].join("\n\n");
}

function showRaw({ role, speaker, said, raw }: RawEntry): string {
  return `${said.slice(0, 16).replace("T", " ")} ${role} (${speaker}):\n${quoted(raw)}`;
}
