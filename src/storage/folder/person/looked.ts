// `looked.json` in the person's folder: up to when they were shown the report of each legion.

import { z } from "zod";
import { LegionError } from "../../../base/errors.ts";
import { fieldsOf, readJson } from "../../../base/text/json.ts";
import { alone } from "./alone.ts";
import type { PersonFolder } from "./folder.ts";

const FILE = "looked.json";
/** Held for the time of one change. */
const LOCK = "looked.lock";

const record = z.looseObject({ legions: z.record(z.string(), z.iso.datetime()) });

/** @param legion where it is kept. ISO 8601; `undefined` if no page of it was shown. Rejects with CONFIG where the file is none of ours. */
export async function lookedAt(person: PersonFolder, legion: string): Promise<string | undefined> {
  return (await readLooked(person))[legion];
}

/** @param at ISO 8601; an earlier time than the one that is kept counts as well: a clock may have been set */
export async function keepLookedAt(person: PersonFolder, legion: string, at: string): Promise<void> {
  // Only then is there a folder to hold a lock in.
  await person.create(FILE, `${JSON.stringify({ legions: {} })}\n`);
  await alone(person, LOCK, async () => {
    const legions = { ...(await readLooked(person)), [legion]: at };
    await person.write(FILE, `${JSON.stringify({ legions }, undefined, 2)}\n`);
  });
}

async function readLooked(person: PersonFolder): Promise<Readonly<Record<string, string>>> {
  const text = await person.read(FILE);
  if (text === undefined) return {};
  const { success, data } = record.safeParse(fieldsOf(readJson(text)));
  if (success) return data.legions;
  throw new LegionError(
    "CONFIG",
    `${person.path}/${FILE} is damaged; remove it, and --since last begins anew`,
  );
}
