// One thing that a memory holds, whole.

import { LegionError } from "../../base/errors.ts";
import { displayName } from "../../domain/message/message.ts";
import type { MemoryEvent, MemoryEventOf } from "../../domain/memory/record.ts";
import { toEntry } from "../../past/memory/recall.ts";
import { contentsOf } from "../../past/memory/shards.ts";
import { printJson, printRows } from "../kit/output.ts";
import { momentOf } from "../kit/times.ts";
import { stateOf } from "./context.ts";
import { entryWhole, shardHead } from "./entry-lines.ts";
import { findMemory, readSeq, type MeantMemory, type Ordered } from "./order.ts";

export async function order(ordered: Ordered): Promise<number> {
  const { typed, io } = ordered;
  const seq = readSeq(typed.args[0]!);
  const memory = await findMemory(ordered);
  const event = await find(seq, memory);
  if (event.kind === "entry") {
    const entry = toEntry(event);
    if (typed.options["json"]) printJson(io, { kind: "entry", ...entry });
    else printRows(io, entryWhole(entry));
    return 0;
  }
  const { shards } = await contentsOf(memory.reader);
  const shard = shards.find((one) => one.seq === seq);
  // Whoever forgets does it at any moment.
  if (!shard) throw gone(memory, seq);
  const state = stateOf(shard, shards);
  if (typed.options["json"]) printJson(io, { kind: "context", ...shard, state });
  else printRows(io, `${shardHead(shard, state, shard.upTo)}\n\n${shard.content.trimEnd()}`);
  return 0;
}

async function find(
  seq: number,
  memory: MeantMemory,
): Promise<MemoryEventOf<"entry"> | MemoryEventOf<"context">> {
  let found: MemoryEvent | undefined;
  let last = 0;
  for await (const event of memory.reader.events()) {
    last = event.seq;
    if (event.seq === seq) found = event;
    if (event.kind === "forgotten" && event.seqs.includes(seq)) throw gone(memory, seq, event);
  }
  if (found?.kind === "entry" || found?.kind === "context") return found;
  const why = found ? `: ${describe(found)}` : `; its numbers go up to ${last}`;
  throw new LegionError(
    "USAGE",
    `#${seq} of ${memory.id} is no entry and no shard of its context${why}; \`legion memory list\` shows the newest`,
  );
}

function gone({ id }: MeantMemory, seq: number, by?: MemoryEventOf<"forgotten">): LegionError {
  const reason = by?.reason === undefined ? "" : `: ${by.reason}`;
  const when = by ? ` ${momentOf(by.at)} by ${displayName(by.by)}${reason}` : "";
  return new LegionError("USAGE", `#${seq} of ${id} was forgotten${when}; nothing of it is left here`);
}

function describe(event: Exclude<MemoryEvent, { kind: "entry" | "context" }>): string {
  switch (event.kind) {
    case "opened":
      return "a process began to write";
    case "kept":
      return `${displayName(event.by)} became its keeper`;
    case "forgotten":
      return `${displayName(event.by)} forgot`;
    case "void":
      return `${displayName(event.by)} sent what was no record`;
    case "adopted":
      return "you took it on";
  }
}
