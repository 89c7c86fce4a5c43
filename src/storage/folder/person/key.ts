// The key by which this person's machines know again what they wrote: the file `key` in the person's folder. Whoever copies
// it to another machine is the same person there.

import { randomBytes } from "node:crypto";
import { LegionError } from "../../../base/errors.ts";
import { authorshipBy, type Authorship } from "./authorship.ts";
import type { PersonFolder } from "./folder.ts";

const FILE = "key";
const KEY_BYTES = 32;
const KEY = /^[0-9a-f]{64}\n?$/;

/** For whoever writes: makes the key if there is none. Rejects with CONFIG if it cannot be relied on, or kept. */
export async function authorshipOf(person: PersonFolder): Promise<Authorship> {
  const found = await readKey(person);
  if (found) return authorshipBy(found);
  // Of two that make one at once, both take that of the first.
  await person.create(FILE, `${randomBytes(KEY_BYTES).toString("hex")}\n`);
  return authorshipBy(await readKey(person));
}

/** For whoever only reads: without a key nothing is the person's. */
export async function knownAuthorshipOf(person: PersonFolder): Promise<Authorship> {
  return authorshipBy(await readKey(person));
}

async function readKey(person: PersonFolder): Promise<Buffer | undefined> {
  const text = await person.read(FILE);
  if (text === undefined || KEY.test(text))
    return text === undefined ? undefined : Buffer.from(text.trim(), "hex");
  const way = "remove it to have a new one made; what was written under it counts as foreign then";
  throw new LegionError("CONFIG", `${person.path}/${FILE} is no key; ${way}`);
}
