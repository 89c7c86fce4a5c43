// HTML source cut into tags and text, in one pass that never goes back: no input is slow. The parser behind linkedom will not
// do: its time grows with the square of how deep a page nests (8 s for 100,000 tags that nobody closes), it finds tags in what
// browsers take for text, such as an `iframe`, and a cell or an item that is not closed takes in its neighbours.

export type Token =
  | {
      readonly kind: "open";
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
      readonly closed: boolean;
    }
  | { readonly kind: "close"; readonly name: string }
  /** As in the source: character references are not resolved. */
  | { readonly kind: "text"; readonly text: string };

const TAG = /<(\/?)([a-zA-Z][^\s/>]*)/y;
const ATTRIBUTE = /[\s/]*([^\s/>=]+)?(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/y;

/** What stands at a `<` that begins no tag: a comment, text as it is, a declaration, or just this character. */
const OTHER = /<!(?=--)[^]*?(?:-->|$)|<!\[CDATA\[([^]*?)(?:\]\]>|$)|<[!?/][^>]*>?|</y;

/**
 * Comments, declarations and a tag that the end of the text cuts off are left out. `wanted` are the attributes to keep; the
 * content of `raw` elements is text, whatever it looks like.
 */
export function* scan(
  source: string,
  wanted: ReadonlySet<string>,
  raw: ReadonlySet<string>,
): Generator<Token> {
  let at = 0;
  while (at < source.length) {
    const start = source.indexOf("<", at);
    if (start !== at) yield { kind: "text", text: start < 0 ? source.slice(at) : source.slice(at, start) };
    if (start < 0) return;
    TAG.lastIndex = start;
    const tag = TAG.exec(source);
    if (!tag) {
      OTHER.lastIndex = start;
      const [other = "", characters = ""] = OTHER.exec(source) ?? [];
      const text = other === "<" ? other : characters;
      if (text) yield { kind: "text", text: text.replace(/&/g, "&amp;").replace(/</g, "&lt;") };
      at = start + other.length;
      continue;
    }
    const name = tag[2]!.toLowerCase();
    const { attributes, end } = readAttributes(source, TAG.lastIndex, wanted);
    if (end > source.length) return;
    at = end;
    if (tag[1]) {
      yield { kind: "close", name };
      continue;
    }
    yield { kind: "open", name, attributes, closed: source[end - 2] === "/" };
    if (!raw.has(name)) continue;
    const text = rawText(source, at, name);
    if (text) yield { kind: "text", text };
    at += text.length;
  }
}

/** `end` is past the source's if the tag does not end. */
function readAttributes(
  source: string,
  from: number,
  wanted: ReadonlySet<string>,
): { attributes: ReadonlyMap<string, string>; end: number } {
  const attributes = new Map<string, string>();
  let at = from;
  while (at < source.length) {
    ATTRIBUTE.lastIndex = at;
    const [whole, written, double, single, bare] = ATTRIBUTE.exec(source) ?? [""];
    at += whole.length;
    const name = written?.toLowerCase() ?? "";
    if (wanted.has(name) && !attributes.has(name)) attributes.set(name, double ?? single ?? bare ?? "");
    if (source[at] === ">") return { attributes, end: at + 1 };
    if (whole === "") at++;
  }
  return { attributes, end: source.length + 1 };
}

function rawText(source: string, from: number, name: string): string {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  closing.lastIndex = from;
  return source.slice(from, closing.exec(source)?.index);
}
