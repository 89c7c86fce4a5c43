/** In a pattern: any number of items, also none. */
export const ANY = Symbol("any");

/**
 * Does `pattern` fit all of `items`? Takes no more steps than one has items times the other: only the last `ANY` met is ever
 * tried again, as what came before it fits already.
 */
export function fitsAll<P, I>(
  pattern: readonly (P | typeof ANY)[],
  items: readonly I[],
  fits: (part: P, item: I) => boolean,
): boolean {
  let at = 0;
  let again: { readonly part: number; item: number } | undefined;
  for (let item = 0; item < items.length;) {
    const part = pattern[at];
    if (part === ANY) again = { part: ++at, item };
    else if (part !== undefined && fits(part, items[item]!)) {
      at++;
      item++;
    } else if (again) {
      item = ++again.item;
      at = again.part;
    } else return false;
  }
  while (pattern[at] === ANY) at++;
  return at === pattern.length;
}

/** A text in which `*` stands for any characters. */
export type Wildcard = readonly (string | typeof ANY)[];

export function readWildcard(text: string): Wildcard {
  return Array.from(text, (character) => (character === "*" ? ANY : character));
}

export function fitsText(pattern: Wildcard, text: string): boolean {
  return fitsAll(pattern, Array.from(text), (part, character) => part === character);
}
