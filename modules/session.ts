import { z } from "zod";
import { defineAction, defineModule, fail, ok } from "../src/domain/authoring/module.ts";
import type { State } from "../src/domain/authoring/host.ts";

const MAX_NOTES = 1_000;
const MAX_LENGTH = 10_000;
const MAX_CATEGORY_LENGTH = 50;
const GENERAL = "general";

const Note = z.object({ timestamp: z.string(), category: z.string(), content: z.string() });
type Note = z.output<typeof Note>;

const categoryParameter = z
  .string()
  .trim()
  .min(1)
  .max(MAX_CATEGORY_LENGTH)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), "a category is one line without control characters");

/** What the agent finds worth keeping of a session, in the order in which it did: nothing is there before the first. */
export const session = defineModule({
  name: "session",

  instructions: () =>
    "Record what you will need later in this session with `recordNote`: facts about the project, what the person prefers, " +
    "decisions with their reason. Older parts of this conversation are summarised; what you recorded stays, and " +
    "`recallNotes` shows it.",

  pinnedMessage({ state }) {
    const count = state.keys().length;
    if (count === 0) return undefined;
    return `You have recorded ${count === 1 ? "1 note" : `${count} notes`} in this session.`;
  },

  actions: {
    recordNote: defineAction({
      description: "Record a note for the rest of this session",
      parameters: {
        content: z.string().trim().min(1).max(MAX_LENGTH).describe("What is worth keeping, in short"),
        category: categoryParameter
          .optional()
          .describe(`What it is about, such as decision; ${GENERAL} unless given`),
      },
      effects: "none",
      touches: [],
      execute({ content, category = GENERAL }, { state, node }) {
        const recorded = state.keys().length;
        if (recorded >= MAX_NOTES)
          return fail(`You have recorded ${MAX_NOTES} notes; there is no room for more.`);
        const note: Note = { timestamp: new Date(node.clock.now()).toISOString(), category, content };
        state.set(String(recorded + 1), note);
        return ok(`Recorded note: ${content} (category: ${category})`);
      },
    }),

    recallNotes: defineAction({
      description: "Read the notes of this session",
      parameters: { category: categoryParameter.optional().describe("Only those of this category") },
      effects: "reads",
      touches: [],
      execute({ category }, { state }) {
        const notes = readNotes(state);
        if (notes.length === 0) return ok("No notes recorded yet.");
        const wanted = notes.filter((note) => category === undefined || isSame(note.category, category));
        if (wanted.length > 0) return ok(["Recorded notes:", ...wanted.map(render)].join("\n"));
        const known = [...new Set(notes.map((note) => note.category))];
        return ok(`No notes of category ${category}; there are notes of: ${known.join(", ")}.`);
      },
    }),
  },
});

/** Oldest first. */
function readNotes(state: State): readonly Note[] {
  return state
    .keys()
    .map((key) => Note.safeParse(state.get(key)))
    .flatMap((note) => (note.success ? [note.data] : []));
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function render({ timestamp, category, content }: Note, index: number): string {
  return `${index + 1}. [${category}] ${content} (recorded at ${timestamp})`;
}
