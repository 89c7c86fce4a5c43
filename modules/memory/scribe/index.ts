// The calls of the memory agent protocol, by its own names. What is entered of a message is the runtime's copy of it; the model
// says what it comes to.

import { z } from "zod";
import {
  defineAction,
  defineModule,
  fail,
  fromOutside,
  ok,
  type ActionResult,
} from "../../../src/domain/authoring/module.ts";
import type { Host } from "../../../src/domain/authoring/host.ts";
import type { RememberedEntry } from "../../../src/domain/authoring/memories.ts";
import type { DirectedStep, Invocation } from "../../../src/domain/authoring/director.ts";
import { PROMPTS, recalledIn, textsIn } from "../prompts/rules.ts";
import { quoted, showEntries } from "../show.ts";
import { cutContext, MAX_CONTEXT } from "./cut-context.ts";
import { materialIn, readMaterial } from "./material.ts";

const MAX_SUMMARY = 512;
const CUT_SUMMARY = MAX_SUMMARY - 2;
const MAX_LISTED = 50;
const LISTED = 25;
const MAX_TAGS = 20;
const MAX_NAME = 200;
/** What a session begins with, in tokens: it stands in each of its questions. */
const OPENING_TOKENS = 2_000;

const ids = {
  vault_id: z.string().optional().describe("The vault of the memory"),
  memory_id: z.string().optional().describe("The memory"),
};

const NOTHING_OPEN = fail("There is nothing to be remembered at the moment.");
const NO_CONTEXT = "(no context yet)";
const NO_ENTRIES = "(no entries yet)";

/** For an agent that `scribe` directs. */
export const scribeActions = defineModule({
  name: "scribe",

  /** The rules that a project has in place of ours: the log says by which it was asked. */
  recall: {
    async read({ settings }) {
      const replaced = textsIn(settings["prompts"]);
      return PROMPTS.map((key) => ({ key, content: replaced[key] ?? "" }));
    },
    // After a fork those of an earlier time are known, which may be granted no more.
    async stands({ settings, offer }) {
      const [granted, known] = [textsIn(settings["prompts"]), recalledIn(offer)];
      return PROMPTS.every((key) => (granted[key] ?? "") === (known[key] ?? ""));
    },
  },

  actions: {
    add_entry: defineAction({
      description: "Enter the current message into the memory",
      parameters: {
        summary: z
          .string()
          .trim()
          .min(1, "a summary says something")
          .describe("What the message says, in at most 512 characters"),
        raw_entry: z.string().optional().describe("The message as it was said; it may be left out"),
        tags: z.record(z.string(), z.unknown()).optional().describe("What it can be found by"),
      },
      effects: "none",
      touches: writes,
      execute: ({ summary, raw_entry, tags = {} }, host) => addEntry({ summary, raw_entry, tags }, host),
    }),

    put_context: defineAction({
      description: "Put a new context document in place of the current one",
      parameters: {
        content: z
          .string()
          .trim()
          .min(1, "a context says something")
          .describe("The whole document, in at most 5,000 characters"),
      },
      effects: "none",
      touches: writes,
      async execute({ content }, host) {
        const open = host.invocation;
        if (!open) return NOTHING_OPEN;
        const isLong = content.length > MAX_CONTEXT;
        if (isLong && isFirstTry(open))
          return fail(
            `The context has ${content.length} characters; at most ${MAX_CONTEXT} are kept. Put what is old and settled shorter.`,
          );
        const read = open.steps.findLast(({ action }) => action === "await_consistency");
        const { upTo, base, asOf } = materialIn(read?.details);
        await host.putContext({ content: isLong ? cutContext(content) : content, upTo, base, asOf });
        // Each shard is told apart: a session that takes many of them is no loop.
        return ok(`Context saved, of entries up to #${upTo}.`, isLong ? { cut: content.length } : undefined);
      },
    }),

    get_context: defineAction({
      description: "Read the current context document of the memory",
      parameters: ids,
      effects: "reads",
      touches: [],
      async execute(_, { memories: [memory] }) {
        const context = await memory?.context();
        return context
          ? marked(ok(quoted(cutContext(context.content, MAX_CONTEXT))), [context])
          : ok(NO_CONTEXT);
      },
    }),

    list_entries: defineAction({
      description: "List the newest entries of the memory, oldest first",
      parameters: { ...ids, limit: z.int().min(1).max(MAX_LISTED).default(LISTED).describe("How many") },
      effects: "reads",
      touches: [],
      async execute({ limit }, { memories: [memory], maxTokens }) {
        const entries = (await memory?.entries(limit)) ?? [];
        const clean = entries.filter(({ taint }) => taint === undefined);
        if (clean.length === 0) return ok(NO_ENTRIES);
        return ok(showEntries(clean, Math.min(maxTokens, OPENING_TOKENS)));
      },
    }),

    await_consistency: defineAction({
      description: "Wait until everything that was sent to the memory is kept there",
      parameters: ids,
      effects: "reads",
      touches: [],
      async execute(_, host) {
        const { material, sources } = await readMaterial(host);
        const said = `Everything that was sent is kept. Read up to entry #${material.upTo}.`;
        return sources.reduce(fromOutside, ok(said, material));
      },
    }),
  },
});

function writes(_: unknown, { memories }: Host) {
  return memories.slice(0, 1).map(({ id }) => ({ kind: "send", to: id }) as const);
}

interface GivenEntry {
  readonly summary: string;
  readonly raw_entry: string | undefined;
  readonly tags: Readonly<Record<string, unknown>>;
}

async function addEntry({ summary, raw_entry, tags }: GivenEntry, host: Host): Promise<ActionResult> {
  const open = host.invocation;
  if (!open?.message) return NOTHING_OPEN;
  const { id, log, speaker, role, content, said } = open.message;
  const isLong = summary.length > MAX_SUMMARY;
  if (isLong && isFirstTry(open))
    return fail(`The summary has ${summary.length} characters; at most ${MAX_SUMMARY} are kept. Say less.`);
  const differs = {
    ...(raw_entry !== undefined && raw_entry !== content && { raw_entry }),
    ...(tags["role"] !== undefined && tags["role"] !== role && { role: tags["role"] }),
    ...(isLong && { summary }),
  };
  await host.remember({
    raw: content,
    summary: isLong ? `${summary.slice(0, CUT_SUMMARY).replace(/[\ud800-\udbff]$/, "")} …` : summary,
    ...{ role, speaker, thread: open.thread, said, tags: plainTags(tags), of: { log, message: id } },
    summarised: open.steps.at(-1)?.by === "rules" ? "rules" : "model",
  });
  return ok("Entry added.", Object.keys(differs).length > 0 ? { differs } : undefined);
}

/** Is nothing to be told once more before it is cut? */
function isFirstTry({ steps }: Invocation): boolean {
  const since = steps.findLastIndex(({ outcome }) => outcome === "ok");
  return !steps.slice(since + 1, -1).some(isTooLong);
}

function isTooLong({ action, outcome }: DirectedStep): boolean {
  return action !== undefined && outcome === "error";
}

/** What stands beside a message anyway is no tag of it. */
const OWN = new Set(["role", "speaker", "thread", "said"]);

/** Those that are names with short texts. */
function plainTags(tags: Readonly<Record<string, unknown>>): Record<string, string> {
  const plain = Object.entries(tags).flatMap(([key, value]): [string, string][] => {
    const name = key.trim();
    const isPlain = name !== "" && name.length <= MAX_NAME && !/\p{Cc}/u.test(name) && !OWN.has(name);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return isPlain && text !== undefined && text.length <= MAX_NAME ? [[name, text]] : [];
  });
  return Object.fromEntries(plain.slice(0, MAX_TAGS));
}

/** Whoever is shown what came from outside has that from outside. */
function marked(result: ActionResult, shown: readonly Pick<RememberedEntry, "taint">[]): ActionResult {
  const sources = shown.flatMap(({ taint = [] }) => (taint === true ? ["unknown"] : taint));
  return [...new Set(sources)].reduce(fromOutside, result);
}
