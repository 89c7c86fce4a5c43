// A file of a cache that bears a code of the person over all that it says: what somebody else put there counts as if it were not there.

import { dirname } from "node:path";
import { readReal } from "../../../base/files/real-file.ts";
import { sha256 } from "../../../past/log/blobs.ts";
import type { Authorship } from "../person/authorship.ts";
import { replace } from "./replace.ts";

/** More is neither written nor read, in bytes. */
const MAX_BYTES = 128 * 1_048_576;
const NEWLINE = 10;
/** No journal and no record is signed under this number. */
const SIGNED_AS = -1;

interface SignedPlace {
  readonly path: string;
  /** Holds temporary files, on the same file system. */
  readonly tmp: string;
  /** What it is: no other file may be taken for it. */
  readonly name: string;
}

/** Its methods never reject. */
export function signedFile({ path, tmp, name }: SignedPlace, authorship: Authorship) {
  const nameOf = (said: Uint8Array): string => `${name}: ${sha256(said)}`;
  const folder = dirname(path);
  return {
    /** What was written, as a whole; `undefined` if there is none, or somebody else wrote it. */
    async read(): Promise<Buffer | undefined> {
      const bytes = await readReal(path, MAX_BYTES + 1).catch(() => Buffer.alloc(0));
      const signed = bytes.indexOf(NEWLINE) + 1;
      if (signed === 0 || bytes.length > MAX_BYTES) return undefined;
      const said = bytes.subarray(signed);
      const code = bytes.toString("latin1", 0, signed - 1);
      return authorship.isOwn(code, nameOf(said), SIGNED_AS) ? said : undefined;
    },
    /** Readers see the old content or the new one; what is too long to be read in next to no time is left out. */
    async write(said: Uint8Array): Promise<void> {
      if (said.length > MAX_BYTES / 2) return;
      const code = authorship.sign(nameOf(said), SIGNED_AS);
      await replace({ path, tmp }, [dirname(folder), folder], [Buffer.from(`${code}\n`), said]);
    },
  };
}
