import { showUnseen } from "../../base/text/unseen.ts";
import type { WantedGrant } from "./grant.ts";

const MAX_NAMED = 3;
const MAX_CHARS = 500;

/** One line about what does not count, and what would make it. */
export function leftOut(wanted: readonly WantedGrant[]): string {
  const named = wanted.slice(0, MAX_NAMED).map(({ says, by }) => `${shown(says)} (${shown(by)})`);
  const more = wanted.length > MAX_NAMED ? [`${wanted.length - MAX_NAMED} more`] : [];
  return (
    `left out, as you have not trusted it: ${[...named, ...more].join("; ")}; ` +
    "`legion trust` shows what this project wants, `legion trust --trust` grants it"
  );
}

function shown(text: string): string {
  const rest = text.length > MAX_CHARS ? `... (${text.length} characters)` : "";
  return `${showUnseen(text.slice(0, MAX_CHARS))}${rest}`;
}
