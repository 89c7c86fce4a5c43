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

/** Is there anything that fits both patterns? Takes as many steps as one has parts times the other. */
export function meet<L, R>(
  left: readonly (L | typeof ANY)[],
  right: readonly (R | typeof ANY)[],
  meets: (part: L, other: R) => boolean,
): boolean {
  /** For each number of parts of `right`: does something fit these and all of `left` so far? */
  let row = [true];
  for (const other of right) row.push(other === ANY && row.at(-1)!);
  for (const part of left) {
    const next = [part === ANY && row[0]!];
    for (const [at, other] of right.entries()) {
      const isOpen = part === ANY || other === ANY;
      next.push(isOpen ? next[at]! || row[at + 1]! : row[at]! && meets(part, other));
    }
    row = next;
  }
  return row.at(-1)!;
}

/** A text in which `*` stands for any characters. */
export type Wildcard = string | readonly (string | typeof ANY)[];

/** Without a `*` the text itself, which is compared at once. */
export function readWildcard(text: string): Wildcard {
  return text.includes("*") ? Array.from(text, (character) => (character === "*" ? ANY : character)) : text;
}

export function fitsText(pattern: Wildcard, text: string): boolean {
  if (typeof pattern === "string") return pattern === text;
  const [first] = pattern;
  if (typeof first === "string" && !text.startsWith(first)) return false;
  return fitsAll(pattern, Array.from(text), (part, character) => part === character);
}
