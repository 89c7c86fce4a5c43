// Who wrote a journal. The opening of each segment bears a code (HMAC-SHA256) of its journal's name and its epoch, under a
// key that only this person has, the file `key` in the person's folder: whoever copies it to another machine is the same
// person there. What bears no code was written by somebody else, or before there were such codes. The record of an agent
// bears one of all that it says.
//
// It tells a clone, an archive or a message that somebody put into a folder from what this person's machines wrote. It
// does not protect from who runs as the same user and can read the key, nor from who has the key of another machine of
// the person; and as it covers no contents of journals, not from who was given a journal of this person and wrote on in it, or changes
// one in place. Goals and notes beside a log are a person's to edit, and bear none. Archives are covered as a whole, so what
// was given away that way comes back as foreign.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { LegionError } from "../../../base/errors.ts";
import type { PersonFolder } from "./folder.ts";

const FILE = "key";
const KEY_BYTES = 32;
const KEY = /^[0-9a-f]{64}\n?$/;

export interface Authorship {
  /** The code for what `of` names. `epoch`: of the writer, or another number that belongs to the name. */
  sign(of: string, epoch: number): string;
  /** Is `code` the one that `sign` gives? Never throws. */
  isOwn(code: unknown, of: string, epoch: number): boolean;
}

/** @param key absent: the person has none yet, so nothing is theirs, and nothing can be signed */
function authorshipBy(key: Buffer | undefined): Authorship {
  const sign = (of: string, epoch: number): string => {
    if (!key) throw new Error("There is no key to sign with.");
    return createHmac("sha256", key)
      .update(JSON.stringify([of, epoch]))
      .digest("hex");
  };
  return {
    sign,
    isOwn(code, of, epoch) {
      if (!key || typeof code !== "string") return false;
      const [given, right] = [Buffer.from(code), Buffer.from(sign(of, epoch))];
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}

/** Under which name the mailbox of an agent is signed; a log is signed under its id. */
export function mailboxName(agent: string): string {
  return `mailbox of ${agent}`;
}

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
