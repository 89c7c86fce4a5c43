// The process of one server, with all that it started.

import type { StartedProgram } from "../../../src/domain/authoring/program.ts";
import type { Entry, Way } from "../config/entry.ts";
import type { StartServer } from "./start.ts";

export type Program = Pick<Entry, "name"> & { readonly way: Extract<Way, { kind: "stdio" }> };

export interface ServerProcess extends Pick<StartedProgram, "stdin" | "stdout" | "gone" | "end"> {
  /** The end of what it printed beside messages, and what it may have lacked, in a sentence or two. */
  said(): string;
  /** Adds to what it printed. */
  note(line: string): void;
}

const MAX_SAID = 2_048;
const MAX_TOLD = 400;

/** Rejects, in one sentence, if there is no such program. */
export async function startProcess({ way }: Program, start: StartServer): Promise<ServerProcess> {
  const { stdin, stdout, stderr, gone, end, lacks } = await start(way);
  let said = "";
  const note = (text: string): void => void (said = (said + text).slice(-MAX_SAID));
  stderr.setEncoding("utf8").on("data", note);
  return {
    ...{ stdin, stdout, gone, end },
    said: () => [tell(said), lacks(said)].filter(Boolean).join(" "),
    note: (line) => note(`${line}\n`),
  };
}

function tell(said: string): string {
  const line = said.replace(/\s+/g, " ").replace(/\p{C}/gu, "?").trim();
  return line === "" ? "It printed nothing." : `It printed at last: ${line.slice(-MAX_TOLD)}`;
}
