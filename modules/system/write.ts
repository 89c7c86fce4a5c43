import { z } from "zod";
import { defineAction, fail, ok } from "../../src/domain/authoring/module.ts";
import { openFile, withEntry, type Errand, type OpenFile } from "./confine/confine.ts";
import { changeOf, MAX_COMPARED, type Held } from "./diff.ts";
import { replaceFile } from "./draft.ts";
import { pathParameter } from "./parameters.ts";
import { codeOf, orRefusal, Refusal } from "./refusal.ts";
import { replaceOnce } from "./replace-once.ts";
import { contentsAt } from "./contents.ts";
import type { Host } from "../../src/domain/authoring/host.ts";

const EDIT: Errand = { access: "change", lastLink: "follow", missingFolders: "refuse" };
const WRITE: Errand = { access: "change", lastLink: "follow", missingFolders: "create" };

const MAX_EDITED_BYTES = 16 * 1024 * 1024;

// Agents share the workspace: they write one after the other, so that each edits what the one before has left.
let lastTurn: Promise<unknown> = Promise.resolve();

function inTurn<T>(write: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(write);
  lastTurn = turn.catch(() => undefined);
  return turn;
}

export const writeFile = defineAction({
  description: "Write a text file, replacing what it held; missing folders are created",
  parameters: {
    path: pathParameter("Path of the file"),
    content: z.string().describe("Everything the file shall hold"),
  },
  effects: "idempotent",
  touches: ({ path }) => [{ kind: "write", path }],
  execute: ({ path, content }, host) =>
    orRefusal(path, () =>
      withEntry(host, path, WRITE, (at, real) =>
        inTurn(async () => {
          const found = await openFile(at, "change").catch(unlessMissing);
          const isCompared = host.permits({ kind: "read", path: real });
          const before = found && (await readHeld(found, content, { host, isCompared }));
          await replaceKept(host, { at, real }, content, found?.mode);
          return ok(`Wrote to ${path}.`, changeOf(path, before, content));
        }),
      ),
    ),
});

export const editFile = defineAction({
  description: "Replace a piece of text in a file; it must occur exactly once",
  parameters: {
    path: pathParameter("Path of the file"),
    oldText: z.string().min(1).describe("The text to replace, with enough around it to be found only once"),
    newText: z.string().describe("The text to put there; empty to delete the old one"),
  },
  effects: "once",
  touches: ({ path }) => [
    { kind: "read", path },
    { kind: "write", path },
  ],
  execute: ({ path, oldText, newText }, host) =>
    orRefusal(path, () =>
      withEntry(host, path, EDIT, (at, real) =>
        inTurn(async () => {
          const { text, mode } = await readWhole(at);
          refuseMarks(text, [oldText, newText], host);
          const edited = replaceOnce(text, oldText, newText);
          if (typeof edited === "number") return fail(`The old text was ${countOf(edited)}. Path: ${path}`);
          await replaceKept(host, { at, real }, edited, mode);
          return ok(`Edited ${path}.`, changeOf(path, { text }, edited));
        }),
      ),
    ),
});

/** Puts a file in the place `at` when what stands there is kept. */
async function replaceKept(
  host: Host,
  { at, real: path }: { readonly at: string; readonly real: string },
  content: string,
  mode: number | undefined,
): Promise<void> {
  await host.replacing(async () => [
    { path, before: await contentsAt(at), after: { kind: "file", content, mode: mode && mode & 0o777 } },
  ]);
  await replaceFile(at, content, mode);
}

const MARK = "[redacted:";

/**
 * What the file holds that `content` is to replace, if that may be told; closes it. Throws Refusal if a mark in `content` would
 * take the place of a hidden value.
 */
async function readHeld(
  { file, size }: OpenFile,
  content: string,
  { host, isCompared }: { readonly host: Host; readonly isCompared: boolean },
): Promise<Held> {
  try {
    const mayBeTold = isCompared && size <= MAX_COMPARED;
    if (!mayBeTold && !content.includes(MARK)) return {};
    const text = await file.readFile("utf8");
    refuseMarks(text, [content], host);
    return mayBeTold ? { text } : {};
  } finally {
    await file.close();
  }
}

/** Throws Refusal if one of `texts` holds a mark in whose place the file has a value. */
function refuseMarks(held: string, texts: readonly string[], host: Host): void {
  if (!texts.some((text) => text.includes(MARK))) return;
  const mark = host.hides(held).find((hidden) => texts.some((text) => text.includes(hidden)));
  if (mark === undefined) return;
  throw new Refusal(
    `Nothing was written: where you read ${mark}, this file holds a value that is hidden from you, and those words would ` +
      "destroy it. Change what stands around it with editFile, without that line, or ask Control.",
  );
}

function countOf(found: number): string {
  return found === 0
    ? "not found"
    : `found ${found} times, must be unique: give more of what stands around it`;
}

async function readWhole(at: string): Promise<{ text: string; mode: number }> {
  const { file, size, mode } = await openFile(at, "change");
  try {
    if (size > MAX_EDITED_BYTES) throw new Refusal("That file is too big to edit.");
    return { text: decode(await file.readFile()), mode };
  } finally {
    await file.close();
  }
}

/** Byte order marks stay. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal("That file is not text in UTF-8.");
  }
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}
