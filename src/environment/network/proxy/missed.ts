// A command that looked for a network where none is: nothing but its own words tells.

import type { CommandRun } from "../../../domain/authoring/workspace.ts";

/** As curl, git, wget, npm, Node, Python, ssh and the shell say it. */
const WORDS =
  /could not resolve host|unable to resolve host|failure in name resolution|EAI_AGAIN|ENOTFOUND|network is unreachable|ENETUNREACH|couldn't connect to server/i;
/** Why it fails stands at the end. */
const LOOKED_AT = 8_000;

/** Did it fail for want of a network, as far as can be seen? */
export function missedNetwork({ exitCode, output }: CommandRun): boolean {
  return exitCode !== 0 && WORDS.test(output.slice(-LOOKED_AT));
}
