// What servers write about themselves, made harmless: it stands among the words of the runtime.

/** Controls, what reverses the direction of writing, what is not seen, halves of characters; not what divides words. */
const UNSEEN =
  /(?![\s])[\p{C}\p{Zl}\p{Zp}]|\u034f|\u115f|\u1160|\u17b4|\u17b5|[\u180b-\u180f]|\u3164|[\ufe00-\ufe0f]|\uffa0|[\u{e0100}-\u{e01ef}]/gu;

/** One line of at most `most` characters: no heading and no fence can begin in it. */
export function cleanLine(text: string, most: number): string {
  // Of what is far too long only a part is looked at.
  const line = text
    .slice(0, most * 4)
    .replace(UNSEEN, "")
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
