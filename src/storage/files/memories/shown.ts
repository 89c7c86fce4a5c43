// `context.md`: the current context of a memory, for people to read. What they make of it while nobody writes is a shard of
// theirs.

import { NO_SECRETS, type Redactor } from "../../../base/redaction/redactor.ts";
import { isLegionError } from "../../../base/errors.ts";
import type { ContextEvent } from "../../../domain/memory/record.ts";
import { CONTROL } from "../../../domain/message/message.ts";
import type { MemoryStanding } from "../../../past/memory/standing.ts";
import { readMemory, type MemoryFolder } from "./reading.ts";

/** What a person may write there, in characters: more is no document for a prompt. */
const MAX_EDITED = 65_536;

export interface ShownContext {
  /** What a person made of it; `undefined` if it says what the log said last, or just before, or is not there. */
  readonly edited: string | undefined;
  /** What the log says; `undefined` if there is no context. */
  readonly said: string | undefined;
  /** Does the file say that? */
  readonly isShown: boolean;
}

export async function lookAtContext(
  folder: MemoryFolder,
  { contexts }: MemoryStanding,
): Promise<ShownContext> {
  const shown = await fileText(folder);
  const said = await contentOf(folder, contexts.at(-1));
  const isShown = shown === said?.trimEnd();
  if (isShown || shown === undefined || shown.length > MAX_EDITED)
    return { edited: undefined, said, isShown };
  // Whoever wrote the newest shard may have ended before it was shown.
  const before = await contentOf(folder, contexts.at(-2));
  return { edited: shown === before?.trimEnd() ? undefined : shown, said, isShown };
}

/** As the file says it: without blanks at its end; `undefined` if there is no file. */
async function fileText({ paths, disk }: MemoryFolder): Promise<string | undefined> {
  const bytes = await disk.read(paths.context).catch((error: unknown) => {
    // A folder or a link in its place says nothing.
    if (isLegionError(error, "STORAGE")) return undefined;
    throw error;
  });
  return bytes?.toString("utf8").trimEnd();
}

async function contentOf(folder: MemoryFolder, seq: number | undefined): Promise<string | undefined> {
  if (seq === undefined) return undefined;
  for await (const event of readMemory(folder, seq))
    return event.seq === seq && event.kind === "context" ? event.content : undefined;
  return undefined;
}

/** The person's shard that an edit comes to. */
export function editedContext(
  content: string,
  { last }: Pick<MemoryStanding, "last">,
  redactor: Redactor = NO_SECRETS,
): ContextEvent {
  return { kind: "context", mail: 0, from: "", by: CONTROL, content: redactor.text(content), upTo: last };
}

/** @param content absent: there is no context to be shown */
export async function showContext({ paths, disk }: MemoryFolder, content: string | undefined): Promise<void> {
  if (content === undefined) await disk.remove(paths.context);
  else await disk.replace(paths.context, `${content.trimEnd()}\n`);
}
