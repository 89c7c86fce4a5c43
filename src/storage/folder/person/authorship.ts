// Who wrote a journal. The opening of each segment bears a code (HMAC-SHA256) of its journal's name and its epoch, under a
// key that only this person has: what bears none was written by somebody else, or before there were such codes.
//
// It tells a clone, an archive or a message that somebody put into a folder from what this person's machines wrote. It
// does not protect from who runs as the same user and can read the key, nor from who has the key of another machine of
// the person; and as it covers no contents, not from who was given a journal of this person and wrote on in it, or changes
// one in place. Goals and notes beside a log are a person's to edit, and bear none. Archives are covered as a whole, so what
// was given away that way comes back as foreign.

import { createHmac, timingSafeEqual } from "node:crypto";

export interface Authorship {
  /** The code for what `of` names. `epoch`: of the writer, or another number that belongs to the name. */
  sign(of: string, epoch: number): string;
  /** Is `code` the one that `sign` gives? Never throws. */
  isOwn(code: unknown, of: string, epoch: number): boolean;
}

/** @param key absent: the person has none yet, so nothing is theirs, and nothing can be signed */
export function authorshipBy(key: Buffer | undefined): Authorship {
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
