// Letters without case, accents and forms: what a person takes for the same word is the same.

const PLAIN = /^[\0-\x7f]*$/;
/** Of the scripts in which they are but accents, vowel points, or invisible. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u00ad\u200b-\u200d\u2060\ufeff]/g;
const LETTERS = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["đ", "d"],
  ["ð", "d"],
  ["þ", "th"],
  ["ł", "l"],
  ["ħ", "h"],
  ["ŧ", "t"],
  ["ı", "i"],
  ["ς", "σ"],
]);
const OTHER_LETTERS = /[ßæœøđðþłħŧıς]/g;

/** Is it ASCII alone? Then case is all that it is rid of. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** May be longer or shorter than `text`. */
export function foldText(text: string): string {
  if (isPlain(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(ACCENTS, "")
    .normalize("NFC")
    .replace(OTHER_LETTERS, (letter) => LETTERS.get(letter) ?? letter);
}
