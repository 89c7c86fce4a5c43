// What the HTML standard says about tags that may be left out, cut down to what decides where text ends up.

export const VOID: ReadonlySet<string> = new Set(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split(
    " ",
  ),
);

/** Their content is text, whatever it looks like. */
export const RAW_TEXT: ReadonlySet<string> = new Set(
  "iframe noembed plaintext script style textarea title xmp".split(" "),
);

/** What an opening tag ends, if it is open further in than any of `within`. */
export interface Ending {
  readonly ends: ReadonlySet<string>;
  readonly within: ReadonlySet<string>;
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const CELL_SCOPE = "table td th caption";

const PARAGRAPH: Ending = { ends: set("p"), within: set(`${CELL_SCOPE} button`) };
const ITEM: Ending = { ends: set("li"), within: set(`ul ol menu dl ${CELL_SCOPE}`) };
const TERM: Ending = { ends: set("dt dd"), within: set(`dl ul ol ${CELL_SCOPE}`) };
const ENDINGS = new Map<string, readonly Ending[]>([
  ["li", [ITEM, PARAGRAPH]],
  ["dt", [TERM, PARAGRAPH]],
  ["dd", [TERM, PARAGRAPH]],
  ["tr", [{ ends: set("tr caption colgroup"), within: set("table") }]],
  ["a", [{ ends: set("a"), within: set(CELL_SCOPE) }]],
  ["option", [{ ends: set("option"), within: set("select datalist optgroup") }]],
]);
for (const name of ["td", "th"]) {
  ENDINGS.set(name, [{ ends: set("td th caption"), within: set("table tr") }]);
}
for (const name of ["thead", "tbody", "tfoot"]) {
  ENDINGS.set(name, [{ ends: set("thead tbody tfoot caption colgroup"), within: set("table") }]);
}
for (const name of ["rt", "rp"]) ENDINGS.set(name, [{ ends: set("rt rp"), within: set("ruby") }]);
const HEADING: Ending = {
  ends: set("h1 h2 h3 h4 h5 h6"),
  within: set(`${CELL_SCOPE} div section article li a`),
};
for (let level = 1; level <= 6; level++) ENDINGS.set(`h${level}`, [PARAGRAPH, HEADING]);
const BLOCKS =
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header hgroup hr " +
  "main menu nav ol p pre search section summary table ul";
for (const name of BLOCKS.split(" ")) ENDINGS.set(name, [PARAGRAPH]);

/** What the opening tag `name` ends before it begins. */
export function endingsOf(name: string): readonly Ending[] {
  return ENDINGS.get(name) ?? [];
}

const TABLE_SCOPE = set("table td th caption");
const TABLE_PARTS = set("table thead tbody tfoot tr td th caption");

/** What a closing tag may not reach across. */
export function barrierOf(name: string): ReadonlySet<string> {
  if (isFrameName(name)) return NO_BARRIER;
  return TABLE_PARTS.has(name) ? TABLE_BARRIER : TABLE_SCOPE;
}
const TABLE_BARRIER = set("table");
const NO_BARRIER: ReadonlySet<string> = new Set();

/** The content of a frame stands in such an element: what is in there neither ends nor closes anything outside. */
export function isFrameName(name: string): boolean {
  return name.startsWith("frame-");
}
