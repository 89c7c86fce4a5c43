// The document that is made of a memory's entries.

import { createDisk } from "../../base/files/disk.ts";
import { createRedactor } from "../../base/redaction/redactor.ts";
import { shownPath } from "../../base/files/project-file.ts";
import { contentsOf, type Shard } from "../../past/memory/shards.ts";
import { readEdit } from "../../storage/files/memories/shown.ts";
import { memoryPaths } from "../../storage/folder/memory-paths.ts";
import { printJson, printRows, printWhole } from "../kit/output.ts";
import { shardHead } from "./entry-lines.ts";
import { findMemory, type MeantMemory, type Ordered } from "./order.ts";

type ShardState = "current" | "older" | "stray";

export function stateOf({ seq, state }: Shard, shards: readonly Shard[]): ShardState {
  if (state === "stray") return "stray";
  return shards.findLast((one) => one.state === "counts")?.seq === seq ? "current" : "older";
}

/** What a person made of the file of the document since it was written; empty if they emptied it, `undefined` if they did not. */
export interface EditedContext {
  readonly path: string;
  readonly content: string;
}

export async function editedIn(
  { site }: Pick<Ordered, "site">,
  { id, reader }: MeantMemory,
): Promise<EditedContext | undefined> {
  if (site.backend.nodes) return undefined;
  const paths = memoryPaths(site.project, id);
  const redactor = createRedactor(site.config.secrets());
  const place = { paths, redactor, disk: createDisk(paths.tmp, site.project) };
  const edited = await readEdit(place, await reader.standing());
  return edited === undefined ? undefined : { path: shownPath(site.project, paths.context), content: edited };
}

export async function order(ordered: Ordered): Promise<number> {
  const { typed } = ordered;
  const memory = await findMemory(ordered);
  const edited = await editedIn(ordered, memory);
  const { shards } = await contentsOf(memory.reader);
  if (typed.options["all"]) showAll(shards, edited, ordered);
  else if (edited) showEdited(edited, ordered);
  else showCurrent(shards, memory, ordered);
  return 0;
}

function showCurrent(shards: readonly Shard[], { id }: MeantMemory, { typed, io }: Ordered): void {
  const shard = shards.findLast(({ state }) => state === "counts");
  const strays = shards.filter(({ state }) => state === "stray").length;
  if (shard && shard.content !== "") {
    if (typed.options["json"]) printJson(io, { ...shard, state: "current" });
    else if (io.stdout.isTTY)
      printRows(io, `${shardHead(shard, "current", shard.upTo)}\n\n${shard.content.trimEnd()}`);
    else printWhole(io, shard.content);
  } else if (!typed.options["json"]) {
    const more = strays > 0 ? " Shards of others than its keeper are shown with --all." : "";
    printRows(io, `${id} has no context.${more}`);
  }
}

function showEdited({ path, content }: EditedContext, { typed, io }: Ordered): void {
  if (typed.options["json"]) printJson(io, { state: "edited", path, content });
  else if (content === "")
    printRows(
      io,
      `You emptied ${path}: there is no context from the next time on that something is entered.`,
    );
  else if (io.stdout.isTTY) printRows(io, `${editedHead(path)}\n\n${content}`);
  else printWhole(io, content);
}

function editedHead(path: string): string {
  return `${path}, as you edited it; it counts from the next time on that something is entered`;
}

/** Oldest first. */
function showAll(shards: readonly Shard[], edited: EditedContext | undefined, { typed, io }: Ordered): void {
  for (const shard of shards) {
    const state = stateOf(shard, shards);
    if (typed.options["json"]) printJson(io, { ...shard, state });
    else printRows(io, `${shardHead(shard, state, shard.upTo)}\n\n${shard.content.trimEnd()}\n`);
  }
  if (typed.options["json"]) {
    if (edited) printJson(io, { state: "edited", ...edited });
  } else if (edited) printRows(io, `${editedHead(edited.path)}\n\n${edited.content}`);
  else if (shards.length === 0) printRows(io, "There is no shard of context.");
}
