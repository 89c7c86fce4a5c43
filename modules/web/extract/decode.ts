// Bytes to text, as a browser does it: a byte order mark, then the server's word, then the document's own, then UTF-8 if it is
// that, and else what old pages of the West are in. @see https://encoding.spec.whatwg.org

import { TextDecoder } from "node:util";

const LOOKED_AT = 2048;
const META = /<meta\b[^>]{0,300}?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i;
const DECLARATION = /^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]+)/;

/** Never throws: an unknown label is passed over, and bytes that mean nothing become `\ufffd`. */
export function decodeText(body: Uint8Array, contentType = ""): string {
  const label = /charset\s*=\s*["']?\s*([^\s;"']+)/i.exec(contentType)?.[1];
  const decoder = byteOrderMark(body) ?? decoderFor(label) ?? decoderFor(declaredIn(body));
  if (decoder) return decode(decoder, body);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return decode(new TextDecoder("windows-1252"), body);
  }
}

function byteOrderMark([first, second, third]: Uint8Array): TextDecoder | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder("utf-8");
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  return first === 0xfe && second === 0xff ? new TextDecoder("utf-16be") : undefined;
}

function decoderFor(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

/** What says so in ASCII is not in UTF-16, whatever it says. */
function declaredIn(body: Uint8Array): string | undefined {
  const begin = Buffer.from(body.subarray(0, LOOKED_AT)).toString("latin1");
  const label = (DECLARATION.exec(begin) ?? META.exec(begin))?.[1];
  return label && /^utf-?16/i.test(label) ? "utf-8" : label;
}

/** 0x80 to 0x9f in windows-1252. Node 20 decodes them as in ISO-8859-1, as control characters. */
const C1 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

function decode(decoder: TextDecoder, body: Uint8Array): string {
  const text = decoder.decode(body);
  if (decoder.encoding !== "windows-1252") return text;
  return text.replace(/[\x80-\x9f]/g, (character) => C1[character.charCodeAt(0) - 0x80]!);
}
