import type { WantedGrant } from "../../config/grants/grant.ts";
import { spelt } from "./terminal.ts";

const MAX_NAMED = 3;

/** One line about what does not count, and what would make it. */
export function leftOut(wanted: readonly WantedGrant[]): string {
  const named = wanted.slice(0, MAX_NAMED).map(({ says, by }) => `${spelt(says)} (${spelt(by)})`);
  const more = wanted.length > MAX_NAMED ? [`${wanted.length - MAX_NAMED} more`] : [];
  return (
    `left out, as you have not trusted it: ${[...named, ...more].join("; ")}; ` +
    "`legion trust` shows what this project wants, `legion trust --trust` grants it"
  );
}
