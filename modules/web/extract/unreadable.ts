/** The document itself is the reason: `message` is one sentence for whoever wanted to read it. */
export class UnreadableError extends Error {}

/** A text that is longer is no page that anybody reads; 2 MB that were made for it can hold any amount. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;

export function tooMuchText(): UnreadableError {
  return new UnreadableError("The document holds more than 64 MB of text.");
}
