// How a secret may be written: as it is, within JSON, in base64, hex, and as part of a URL.

/** A shorter text is no secret: it would turn ordinary words into marks. */
export const MIN_SECRET = 8;

const BYTE_BITS = 8;
const BASE64_BITS = 6;

/** Every way of writing `value`, each of at least `MIN_SECRET` characters. */
export function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const forms = [value, JSON.stringify(value).slice(1, -1), hex, hex.toUpperCase(), ...urlForms(bytes)];
  for (const before of [0, 1, 2]) {
    const base64 = base64Within(bytes, before);
    forms.push(base64, base64.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET);
}

/** The characters that stand for `bytes` alone, whatever stands around them, where they come after `before` others. */
function base64Within(bytes: Buffer, before: number): string {
  const base64 = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  const first = Math.ceil((before * BYTE_BITS) / BASE64_BITS);
  return base64.slice(first, Math.floor(((before + bytes.length) * BYTE_BITS) / BASE64_BITS));
}

/** As URLs and forms of the web write it; what they leave as it is differs from program to program. */
function urlForms(bytes: Buffer): readonly string[] {
  // What is no character, `encodeURIComponent` refuses; as bytes it has become one.
  const text = bytes.toString();
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*~]/g, (character) => `%${hexOf(character)}`);
  const forms = [
    component,
    encodeURI(text),
    component.replaceAll("%2F", "/"),
    strict,
    strict.replaceAll("%2F", "/"),
    new URLSearchParams({ v: text }).toString().slice(2),
    bytes.toString("hex").toUpperCase().replace(/../g, "%$&"),
  ];
  return forms.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())]);
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase();
}
