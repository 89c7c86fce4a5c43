// The file of what is folded from one log, signed: what somebody else put there could have an agent believe anything of its past. Only a
// cache, as digests are.

import { join } from "node:path";
import { readJson } from "../../../base/text/json.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import type { LegionPaths } from "../paths.ts";
import type { Authorship } from "../person/authorship.ts";
import { removeFrom } from "./replace.ts";
import { signedFile } from "./signed-file.ts";

const NEWLINE = 10;

export interface SignedPast {
  /** Plain JSON: what tells the log that it belongs to from any other. */
  readonly binding: unknown;
  readonly packed: Uint8Array;
}

export type PastFile = ReturnType<typeof pastFile>;

/** Its methods never reject. */
export function pastFile({ root, tmp }: LegionPaths, agent: AgentId, authorship: Authorship) {
  const place = { path: join(folderIn({ root }), agent), tmp, name: `past of ${agent}` };
  const file = signedFile(place, authorship);
  return {
    /** What was written, as a whole; `undefined` if there is none, or somebody else wrote it. */
    async read(): Promise<SignedPast | undefined> {
      const said = await file.read();
      if (!said) return undefined;
      const end = said.indexOf(NEWLINE);
      return { binding: readJson(said.toString("utf8", 0, end)), packed: said.subarray(end + 1) };
    },
    write: ({ binding, packed }: SignedPast): Promise<void> =>
      file.write(Buffer.concat([Buffer.from(`${JSON.stringify(binding)}\n`), packed])),
  };
}

/** Removes what was kept of an agent that is gone. Never rejects. */
export function removePast(paths: LegionPaths, agent: AgentId): Promise<void> {
  return removeFrom(folderIn(paths), agent);
}

function folderIn({ root }: Pick<LegionPaths, "root">): string {
  return join(root, "cache", "pasts");
}
