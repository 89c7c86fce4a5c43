// `context.md`: the current context of a memory, for people to read. What they make of it while nobody writes is a shard of
// theirs. What they may have written and nobody can read stays as it is, until they change it.

import { LegionError, messageOf } from "../../../base/errors.ts";
import type { Redactor } from "../../../base/redaction/redactor.ts";
import type { MemoryEventOf } from "../../../domain/memory/record.ts";
import { CONTROL } from "../../../domain/message/message.ts";
import type { MemoryStanding } from "../../../past/memory/standing.ts";
import type { OpenedMemory } from "./opened.ts";
import { readStanding } from "./standing-file.ts";
import { readMemory, type MemoryFolder } from "./reading.ts";

/** What a person may write there, in characters: more is no document for a prompt. */
const MAX_EDITED = 65_536;

export interface ShownPlace extends MemoryFolder {
  readonly redactor: Redactor;
}

type WholeShard = MemoryEventOf<"context">;

interface ShownContext {
  /** What a person made of it; `undefined` if it says what the log has said since it was shown, or nothing. */
  readonly edited: string | undefined;
  /** The newest shard; `undefined` if there is no context. */
  readonly newest: WholeShard | undefined;
  /** The file says that already, or something of a person's that nobody can tell. Absent: it may be replaced. */
  readonly stays?: "shown" | "theirs";
}

/** Takes in what a person made of the context, if they did. Rejects with STORAGE. */
export async function takeEdit(opened: OpenedMemory, place: ShownPlace): Promise<boolean> {
  const { edited, newest } = await lookAtContext(opened, place);
  if (edited === undefined) return false;
  // What they changed was made of the newest one. What was entered since is still to come into it.
  const { taint, upTo = 0 } = newest ?? {};
  const base = newest && { base: newest.seq };
  const told = { kind: "context", mail: 0, from: "", by: CONTROL, upTo } as const;
  await opened.add([{ ...told, content: edited, ...base, ...(taint && { taint }) }]);
  return true;
}

/** Takes in what a person made of the context, and shows what the log says. Nothing depends on it: never rejects. */
export async function showContext(opened: OpenedMemory, place: ShownPlace): Promise<void> {
  try {
    await takeEdit(opened, place);
    const { edited, newest, stays } = await lookAtContext(opened, place);
    // Saved since, or not readable a moment ago.
    if (edited !== undefined || !newest) return;
    if (stays === "theirs") return;
    if (stays === undefined) await place.disk.replace(place.paths.context, `${newest.content.trimEnd()}\n`);
    opened.shown = newest.seq;
  } catch {
    // It is shown, or taken in, the next time.
  }
}

/** Before something is forgotten: what the file says would look like a person's. Rejects with STORAGE if they may have it there. */
export async function hideContext({ paths, disk }: MemoryFolder): Promise<void> {
  const found = await fileText({ paths, disk });
  if (found.obstacle === undefined) await disk.remove(paths.context);
  else if ((await disk.kind(paths.context)) === "file")
    throw new LegionError(
      "STORAGE",
      `${paths.context} ${found.obstacle}, so what is to be forgotten may stand in it; change or remove it first`,
    );
}

/** What a person made of the context of a memory that stands like this, and that nobody writes to now; `undefined` if they did not. */
export async function readEdit(place: ShownPlace, standing: MemoryStanding): Promise<string | undefined> {
  const shown = (await readStanding(place))?.shown ?? 0;
  return (await lookAtContext({ standing, shown }, place)).edited;
}

async function lookAtContext(
  opened: Pick<OpenedMemory, "standing" | "shown">,
  place: ShownPlace,
): Promise<ShownContext> {
  const { contexts } = opened.standing;
  const found = await fileText(place);
  const newest = await shardIn(place, contexts.slice(-1), () => true);
  const said = newest?.content.trimEnd() ?? "";
  const { text, obstacle } = found;
  if (obstacle !== undefined) return { edited: undefined, newest, stays: "theirs" };
  if (text === undefined) return { edited: undefined, newest };
  if (text === said) return { edited: undefined, newest, stays: "shown" };
  const edited = place.redactor.text(text);
  if (edited === said) return { edited: undefined, newest };
  // Whoever wrote the newest shards may have ended before they were shown.
  const older = contexts.slice(0, -1).filter((seq) => seq >= opened.shown);
  const isOlder = await shardIn(place, older, ({ content }) => content.trimEnd() === text);
  return { edited: isOlder ? undefined : edited, newest };
}

/** The first of the shards `seqs` that is as `isWanted` says. They are not forgotten. */
async function shardIn(
  folder: MemoryFolder,
  seqs: readonly number[],
  isWanted: (shard: WholeShard) => boolean,
): Promise<WholeShard | undefined> {
  const [first] = seqs;
  const last = seqs.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const wanted = new Set(seqs);
  for await (const event of readMemory(folder, first, new Set())) {
    if (event.kind === "context" && wanted.has(event.seq) && isWanted(event)) return event;
    if (event.seq >= last) break;
  }
  return undefined;
}

/** As the file says it: without blanks at its end; `text` is `undefined` if there is none. `obstacle`: why nobody can tell. */
async function fileText({
  paths,
  disk,
}: MemoryFolder): Promise<{ readonly text?: string | undefined; readonly obstacle?: string }> {
  try {
    const bytes = await disk.read(paths.context);
    const text = bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes).trimEnd();
    if (text && text.length > MAX_EDITED) return { obstacle: `is longer than ${MAX_EDITED} characters` };
    return { text };
  } catch (error) {
    return { obstacle: error instanceof TypeError ? "is not UTF-8 text" : messageOf(error) };
  }
}
