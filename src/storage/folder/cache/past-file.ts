// The file of what is folded from one log. It bears a code of the person over all that it says: what somebody else put there could
// have an agent believe anything of its past. Only a cache, as digests are.

import { dirname, join } from "node:path";
import { readReal } from "../../../base/files/real-file.ts";
import { readJson } from "../../../base/text/json.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { sha256 } from "../../../past/log/blobs.ts";
import type { LegionPaths } from "../paths.ts";
import type { Authorship } from "../person/authorship.ts";
import { removeFrom, replace } from "./replace.ts";

/** More is neither written nor read, in bytes. */
const MAX_BYTES = 128 * 1_048_576;
const NEWLINE = 10;
/** No journal and no record is signed under this number. */
const SIGNED_AS = -1;

export interface SignedPast {
  /** Plain JSON: what tells the log that it belongs to from any other. */
  readonly binding: unknown;
  readonly packed: Uint8Array;
}

export type PastFile = ReturnType<typeof pastFile>;

/** Its methods never reject. */
export function pastFile({ root, tmp }: LegionPaths, agent: AgentId, authorship: Authorship) {
  const folder = folderIn({ root });
  const path = join(folder, agent);
  const nameOf = (said: Uint8Array): string => `past of ${agent}: ${sha256(said)}`;
  return {
    /** What was written, as a whole; `undefined` if there is none, or somebody else wrote it. */
    async read(): Promise<SignedPast | undefined> {
      const bytes = await readReal(path, MAX_BYTES + 1).catch(() => Buffer.alloc(0));
      const signed = bytes.indexOf(NEWLINE) + 1;
      const said = bytes.subarray(signed);
      const code = bytes.toString("latin1", 0, signed - 1);
      if (signed === 0 || bytes.length > MAX_BYTES) return undefined;
      if (!authorship.isOwn(code, nameOf(said), SIGNED_AS)) return undefined;
      const end = said.indexOf(NEWLINE);
      return { binding: readJson(said.toString("utf8", 0, end)), packed: said.subarray(end + 1) };
    },
    async write({ binding, packed }: SignedPast): Promise<void> {
      const said = Buffer.concat([Buffer.from(`${JSON.stringify(binding)}\n`), packed]);
      if (said.length > MAX_BYTES / 2) return;
      const code = authorship.sign(nameOf(said), SIGNED_AS);
      await replace({ path, tmp }, [dirname(folder), folder], [Buffer.from(`${code}\n`), said]);
    },
  };
}

/** Removes what was kept of an agent that is gone. Never rejects. */
export function removePast(paths: LegionPaths, agent: AgentId): Promise<void> {
  return removeFrom(folderIn(paths), agent);
}

function folderIn({ root }: Pick<LegionPaths, "root">): string {
  return join(root, "cache", "pasts");
}
