// What a memory holds that is like some words.

import { LegionError } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import { BETWEEN_TEXTS } from "../../config/files/variables.ts";
import type { MemoryQuery } from "../../domain/authoring/memories.ts";
import { MAX_LISTED } from "../../domain/memory/record.ts";
import type { Typed } from "../kit/command.ts";
import { printJson, printRows } from "../kit/output.ts";
import { entryLines } from "./entry-lines.ts";
import { findMemory, readLimit, type Ordered } from "./order.ts";
import { readTime } from "../kit/times.ts";

const FOUND = 10;

/** Best first. */
export async function order(ordered: Ordered): Promise<number> {
  const { typed, io } = ordered;
  const query = readQuery(typed);
  const { id } = await findMemory(ordered);
  const found = await ordered.site.backend.memories.search(id, query);
  if (typed.options["json"]) for (const entry of found) printJson(io, entry);
  else if (found.length === 0)
    printRows(io, `Nothing in ${id} is like ${quote(query.text)}. Other words may find it.`);
  else for (const entry of found) printRows(io, entryLines(entry, query.text));
  return 0;
}

function readQuery(typed: Typed): MemoryQuery {
  const { args, options } = typed;
  const text = args.join(" ").trim();
  if (text === "") throw new LegionError("USAGE", "there is nothing to look for: name a word or more");
  const nowMs = Date.now();
  return {
    text,
    limit: readLimit(typed, FOUND, MAX_LISTED),
    role: readRole(options["role"]),
    speaker: options["speaker"],
    since: readTime(typed, "since", { nowMs }),
    until: readTime(typed, "until", { nowMs, of: "end" }),
    tags: readTags(options["tag"]),
  };
}

function readRole(role: string | undefined): MemoryQuery["role"] {
  if (role === undefined || role === "user" || role === "assistant") return role;
  throw new LegionError("USAGE", `--role: expected user or assistant, not ${quote(role)}`);
}

function readTags(typed: string | undefined): MemoryQuery["tags"] {
  if (typed === undefined) return undefined;
  return Object.fromEntries(
    typed.split(BETWEEN_TEXTS).map((tag) => {
      const at = tag.indexOf("=");
      if (at < 1) throw new LegionError("USAGE", `--tag: expected name=value, not ${quote(tag)}`);
      return [tag.slice(0, at), tag.slice(at + 1)];
    }),
  );
}
