// Characters that no reader sees. They hide text from people that a model would read, so none is handed on.

/** Controls but tab and line feed; marks of direction; zero-width and filling characters; tags; variation selectors. */
const UNSEEN = new RegExp(
  [
    "[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u061c\\u115f\\u1160\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f]",
    "[\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}]",
    "\\u034f|\\u17b4|\\u17b5|[\\u180b-\\u180e]|[\\ufe00-\\ufe0e]",
  ].join("|"),
  "gu",
);
/** Joiners are part of the spelling of these, and mean nothing anywhere else. */
const JOINED = [
  ..."Arabic Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala"
    .split(" ")
    .map((script) => `\\p{Script=${script}}`),
  "\\p{Extended_Pictographic}|\\p{Emoji_Modifier}|\\ufe0f",
].join("|");
const JOINER = new RegExp(`(?<!${JOINED})[\\u200c\\u200d]`, "gu");

/** `text` with plain line ends and nothing invisible in it. */
export function visible(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/\r\n?|[\u2028\u2029\x85]/g, "\n")
    .replace(UNSEEN, "")
    .replace(JOINER, "");
}

/** As `visible` and `tidyLines`. */
export function tidy(text: string): string {
  return tidyLines(visible(text));
}

/** No space at the end of a line, no two empty lines in a row, and none at the ends. */
export function tidyLines(text: string): string {
  const lines = text.split("\n");
  const kept = lines.map((line) => line.trimEnd()).filter((line, index, all) => line || all[index - 1]);
  return kept.join("\n").trim();
}
