import { describe, expect, it } from "vitest";
import { decodeText } from "../../../../modules/web/extract/decode.ts";
import { encode } from "../site/encode.ts";

const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("the encoding of a document", () => {
  it.each([
    [
      "a byte order mark, over what the server says",
      "\xef\xbb\xbf\xc3\xbc",
      "text/html; charset=iso-8859-1",
      "ü",
    ],
    ["UTF-16, little end first", "\xff\xfe\xfc\x00", "", "ü"],
    ["UTF-16, big end first", "\xfe\xff\x00\xfc", "", "ü"],
    ["the server's word", "\xfc", "text/html; charset=ISO-8859-1", "ü"],
    ["the server's word in quotes", "\xfc", 'text/html; Charset="latin1"', "ü"],
    ["UTF-8 without a word", "\xc3\xbc", "text/plain", "ü"],
    ["the old default for what is no UTF-8", "\xfc", "text/plain", "ü"],
    ["an unknown label", "\xc3\xbc", "text/html; charset=nonsense", "ü"],
    ["a wrong label", "\xfc!", "text/html; charset=utf-8", "\ufffd!"],
    ["dashes and quotes of Windows", "\x93a\x94 \x96 \x80", "text/html; charset=iso-8859-1", "“a” – €"],
  ])("is that of %s", (_, bytes, type, expected) => {
    expect(decodeText(latin1(bytes), type)).toBe(expected);
  });

  it.each([
    ['<meta charset="windows-1251">\xcf', "П"],
    ["<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>\xf0", "П"],
    ["<?xml version='1.0' encoding='iso-8859-15'?>\xa4", "€"],
    ["<meta charset=utf-16>\xc3\xbc", "ü"],
  ])("is what the document says: %s", (bytes, last) => {
    expect(decodeText(latin1(bytes), "text/html").at(-1)).toBe(last);
  });

  it.each(["shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"])("may be %s", (label) => {
    const text = label === "euc-kr" ? "한국" : "山水";
    expect(decodeText(encode(text, label), `text/plain; charset=${label}`)).toBe(text);
  });
});
