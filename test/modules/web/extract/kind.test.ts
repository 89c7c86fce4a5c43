import { describe, expect, it } from "vitest";
import { kindOf } from "../../../../modules/web/extract/kind.ts";

const kind = (type: string | undefined, body: string): string => kindOf(type, Buffer.from(body, "latin1"));

describe("the kind of a document", () => {
  it.each([
    ["text/html; charset=utf-8", "<p>x", "html"],
    ["TEXT/HTML", "<p>x", "html"],
    ["application/xhtml+xml", "<?xml version='1.0'?><html xmlns='x'>", "html"],
    ["text/plain", "<html>", "text"],
    ["text/markdown", "# x", "markdown"],
    ["text/csv", "a,b", "text"],
    ["text/x-python", "import os", "text"],
    ["application/yaml", "a: b", "text"],
    ["application/javascript", "x()", "text"],
    ["application/json", "{}", "json"],
    ["application/ld+json;v=1", "{}", "json"],
    ["application/x-ndjson", "{}\n{}", "json"],
    ["application/rss+xml", "<rss>", "xml"],
    ["text/xml", "<a/>", "xml"],
    ["application/pdf", "%PDF-1.7", "pdf"],
  ])("%s beginning %s is %s", (type, body, expected) => {
    expect(kind(type, body)).toBe(expected);
  });

  it.each([
    ["text/html", '{"a": 1}', "json"],
    ["text/html", "\n <?xml version='1.0'?><rss>", "xml"],
    ["text/html", "%PDF-1.4", "pdf"],
    ["text/html", "Not Found", "text"],
    ["text/html", "Caf&eacute;", "html"],
    ["application/json", " <!DOCTYPE html>", "html"],
    ["application/xml", "<!-- x --><HTML>", "html"],
    ["application/pdf", "<html>", "html"],
    ["text/plain", "%PDF-1.4", "pdf"],
  ])("a server that says %s of %s is corrected", (type, body, expected) => {
    expect(kind(type, body)).toBe(expected);
  });

  it.each([
    ["<!doctype html>", "html"],
    ["\xef\xbb\xbf<html>", "html"],
    ["<rss version='2.0'>", "xml"],
    ["[1, 2]", "json"],
    ["%PDF-1.4", "pdf"],
    ["hello", "text"],
    ["", "text"],
    ["\xff\xfeh\0i\0", "text"],
  ])("of an unknown type, %j is what it begins like", (body, expected) => {
    expect(kind(undefined, body)).toBe(expected);
    expect(kind("application/octet-stream", body)).toBe(expected);
  });

  it.each([
    ["image/png", "\x89PNG", "image/png"],
    ["image/svg+xml", "<svg>", "image/svg+xml"],
    ["video/mp4", "", "video/mp4"],
    ["font/woff2", "wOF2", "font/woff2"],
    ["application/zip", "PK", "application/zip"],
    ["text/rtf", "{\\rtf1", "text/rtf"],
    [undefined, "\x89PNG\r\n", "image/png"],
    ["application/octet-stream", "PK\x03\x04", "application/zip"],
    ["application/octet-stream", "a\0b", "application/octet-stream"],
    [undefined, "a\0b", "binary content"],
    ["text/plain", "\x1f\x8b", "application/gzip"],
  ])("%s beginning %j is refused as %s", (type, body, named) => {
    expect(() => kind(type, body)).toThrow(`This is ${named}, which cannot be read as text.`);
  });

  it("a name that every object has is no type", () => {
    expect(() => kind("constructor", "x")).toThrow("This is constructor");
  });
});
