import { z } from "zod";
import { defineAction, defineModule, fail, ok } from "../src/domain/authoring/module.ts";
import type { Host, State } from "../src/domain/authoring/host.ts";

const MAX_TITLE_LENGTH = 500;
const MAX_CONTENT_BYTES = 1024 * 1024;
const MAX_SHOWN_BYTES = 50 * 1024;
const MAX_PINNED = 100;
const MAX_NEAREST = 3;

const titleParameter = z
  .string()
  .trim()
  .min(1)
  .max(MAX_TITLE_LENGTH)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), "a title is one line without control characters");

/** Texts that the agent keeps for itself: titles in every prompt, contents on demand. */
export const notes = defineModule({
  name: "notes",

  instructions: () =>
    "Notes are your lasting memory: older parts of this conversation are summarised, notes stay as you write them. " +
    "Write down what you will need later, one subject to a note, under a title that says what is in it. Writing under " +
    "a title that exists replaces that note.",

  pinnedMessage({ state, tokens, maxPinnedTokens }) {
    const titles = state.keys();
    if (titles.length === 0) return "You have no notes.";
    const show = (count: number): string => {
      const rest = titles.length - count;
      return [
        "Your notes, the last changed at the end:",
        ...(rest > 0 ? [`(${rest} older ones are not shown)`] : []),
        ...titles.slice(rest).map((text) => `- ${onOneLine(text)}`),
      ].join("\n");
    };
    let count = Math.min(titles.length, MAX_PINNED);
    while (count > 1 && tokens(show(count)) > maxPinnedTokens) count--;
    return show(count);
  },

  projection: { kind: "folder", name: "notes", extension: ".txt" },

  actions: {
    writeNote: defineAction({
      description: "Write a note, or replace one",
      parameters: {
        title: titleParameter.describe("Title of the note"),
        content: z
          .string()
          .refine((text) => Buffer.byteLength(text) <= MAX_CONTENT_BYTES, "a note holds at most 1 MiB")
          .describe("What the note shall say"),
      },
      effects: "none",
      touches: [],
      execute({ title, content }, { state }) {
        state.set(title, content);
        return ok(`Note "${title}" has been written successfully.`);
      },
    }),

    viewNote: defineAction({
      description: "Read a note",
      parameters: { title: titleParameter.describe("Title of the note") },
      effects: "reads",
      touches: [],
      async execute({ title }, host) {
        const content = host.state.get(title);
        if (typeof content !== "string") return notFound(title, host.state);
        return ok(`Content of "${title}":\n${await fit(content, host)}`);
      },
    }),

    deleteNote: defineAction({
      description: "Delete a note",
      parameters: { title: titleParameter.describe("Title of the note") },
      effects: "none",
      touches: [],
      execute({ title }, { state }) {
        if (state.get(title) === undefined) return notFound(title, state);
        state.delete(title);
        return ok(`Deleted note "${title}".`);
      },
    }),
  },
});

/** A note that people made longer than a prompt should be is cut. */
async function fit(content: string, host: Host): Promise<string> {
  const bytes = Buffer.from(content);
  if (bytes.length <= MAX_SHOWN_BYTES) return content;
  // A stream decoder waits for the rest of a character that is cut in half.
  const start = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, MAX_SHOWN_BYTES), {
    stream: true,
  });
  return `${start}\n[The rest is left out. Full text: ${await host.keep(content)}]`;
}

function notFound(title: string, state: State) {
  const near = nearest(title, state.keys()).map((text) => `"${onOneLine(text)}"`);
  return fail(`Note "${title}" not found.${near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : ""}`);
}

/** The titles that share most with `wanted`, best first; empty if none shares much. */
function nearest(wanted: string, titles: readonly string[]): readonly string[] {
  const pairs = pairsOf(wanted);
  return titles
    .map((text) => ({ text, likeness: likenessOf(pairs, pairsOf(text)) }))
    .filter(({ likeness }) => likeness >= 0.4)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_NEAREST)
    .map(({ text }) => text);
}

/** Every two neighbouring characters, word starts and ends included; case does not count. */
function pairsOf(text: string): ReadonlySet<string> {
  const padded = ` ${text.toLowerCase()} `;
  return new Set(Array.from({ length: padded.length - 1 }, (_, at) => padded.slice(at, at + 2)));
}

/** Dice's coefficient: 0 nothing in common, 1 the same. */
function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common++;
  return (2 * common) / (a.size + b.size);
}

/** Titles that come from file names may hold anything. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
