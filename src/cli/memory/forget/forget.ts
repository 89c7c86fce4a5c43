// Forgets: what is meant goes with all that was made of it, for good. What stands elsewhere is named, and stays.

import { rm, realpath } from "node:fs/promises";
import { join } from "node:path";
import { LegionError } from "../../../base/errors.ts";
import { createRedactor } from "../../../base/redaction/redactor.ts";
import type { MemoryId } from "../../../domain/memory/memory-id.ts";
import type { ForgottenEvent } from "../../../domain/memory/record.ts";
import { contentsOf } from "../../../past/memory/shards.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";
import { canAsk, confirm } from "../../consent/confirm.ts";
import { oneLine, printJson, printRows } from "../../kit/output.ts";
import { createProgress } from "../../kit/progress.ts";
import type { Site } from "../../kit/target.ts";
import { editedIn } from "../context.ts";
import { flushForgotten } from "../flush.ts";
import { findMemory, type Ordered } from "../order.ts";
import { choose, chooseAgain, forgotten, readChoice, type Doomed } from "./choice.ts";
import { findElsewhere, type Elsewhere } from "./elsewhere.ts";
import { counted, described, showDoomed, showElsewhere } from "./shown.ts";

export async function order(ordered: Ordered): Promise<number> {
  const { typed, io, site } = ordered;
  const choice = readChoice(typed);
  const reason = readReason(ordered);
  const memory = await findMemory(ordered);
  const doomed = choose(await contentsOf(memory.reader), choice);
  const event = forgotten(doomed, reason);
  if (!event) {
    if (!typed.options["json"]) printRows(io, `There is nothing like that in ${memory.id}.`);
    return 0;
  }
  const edited = await editedIn(ordered, memory);
  const texts = [...doomed.entries.map(({ raw }) => raw), ...shardsOf(doomed).map(({ content }) => content)];
  const elsewhere = await lookElsewhere(memory.id, texts, ordered);
  const isJson = typed.options["json"] !== undefined;
  const isShown = !isJson || !typed.options["yes"];
  if (!isJson) {
    showDoomed({ memory: memory.id, doomed, edited }, io);
    showElsewhere(elsewhere, site, io);
  } else if (isShown) tell({ doomed, elsewhere, gone: new Set() }, ordered);
  if (!(await may(`Forget ${described(doomed)} of ${memory.id}, for good?`, ordered))) {
    printRows(io, "Nothing was forgotten.");
    return 0;
  }
  const done = await forget({ id: memory.id, doomed, reason }, site);
  if (done) await flushForgotten(memory, ordered);
  if (!isShown) tell({ doomed, elsewhere, gone: new Set(done?.seqs) }, ordered);
  if (!isJson) printRows(io, saidDone(memory.id, done));
  return 0;
}

/** It takes a while where much was said. */
async function lookElsewhere(
  id: MemoryId,
  texts: readonly string[],
  { site, io }: Ordered,
): Promise<readonly Elsewhere[]> {
  const progress = createProgress(io);
  const onFolder = (folder: string): void => progress.show(`looking for it in ${oneLine(folder)}`);
  return findElsewhere(site.project, id, texts, onFolder).finally(() => progress.clear());
}

const MAX_REASON = 500;

/** Throws USAGE. */
function readReason({ typed, site }: Ordered): string | undefined {
  const { reason } = typed.options;
  if (reason === undefined) return undefined;
  if (reason.trim() === "" || reason.length > MAX_REASON)
    throw new LegionError("USAGE", `--reason: say it in 1 to ${MAX_REASON} characters`);
  return createRedactor(site.config.secrets()).text(reason.trim());
}

const shardsOf = ({ named, built }: Doomed): Doomed["built"] => [...named, ...built];

/** Throws USAGE where nobody can be asked. */
async function may(question: string, { typed, io }: Ordered): Promise<boolean> {
  if (typed.options["yes"]) return true;
  if (typed.options["json"] || !canAsk(io))
    throw new LegionError(
      "USAGE",
      "nothing was forgotten: nobody can be asked here; --yes forgets without a question",
    );
  return confirm(question, io);
}

interface ForgetDecision {
  readonly id: MemoryId;
  /** As it was shown. */
  readonly doomed: Doomed;
  readonly reason: string | undefined;
}

/** Resolves with what was forgotten: shards may have come since, and entries may have gone. */
async function forget(
  { id, doomed, reason }: ForgetDecision,
  site: Site,
): Promise<ForgottenEvent | undefined> {
  let event: ForgottenEvent | undefined;
  await site.backend.memories.change(id, async (_, reader) => {
    event = forgotten(chooseAgain(await contentsOf(reader), doomed), reason);
    return event ? [event] : [];
  });
  await dropIndex(id, site);
  return event;
}

/** Whoever searches makes it anew. */
async function dropIndex(id: MemoryId, { project }: Site): Promise<void> {
  const folder = join(legionPaths(project).root, "cache/memory", id);
  // Never by way of a link.
  if ((await realpath(folder).catch(() => undefined)) === folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

interface ForgetOutcome {
  readonly doomed: Doomed;
  readonly elsewhere: readonly Elsewhere[];
  /** Empty: nothing is forgotten yet. */
  readonly gone: ReadonlySet<number>;
}

function tell({ doomed, elsewhere, gone }: ForgetOutcome, { io }: Ordered): void {
  for (const { seq, by, raw, speaker, thread, said } of doomed.entries)
    printJson(io, { kind: "entry", seq, by, speaker, thread, said, raw, forgotten: gone.has(seq) });
  for (const { seq, by, at, content } of shardsOf(doomed))
    printJson(io, { kind: "context", seq, by, at, content, forgotten: gone.has(seq) });
  for (const place of elsewhere) printJson(io, { kind: "elsewhere", ...place });
}

function saidDone(id: MemoryId, event: ForgottenEvent | undefined): string {
  if (!event) return "It was forgotten meanwhile.";
  return `Forgotten in ${id}: ${counted(event.entries, event.seqs.length - event.entries)}. Number, time and who entered it stay.`;
}
