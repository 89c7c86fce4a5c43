import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layOutJson } from "../../../../modules/web/extract/json.ts";

const long = "x".repeat(90);

describe("JSON", () => {
  it("that was written for machines is laid out, with what is short on one line", () => {
    expect(layOutJson(`{"a":[1,2,{"b":null}],"c":{},"d":[],"e":"${long}"}`)).toBe(
      `{\n  "a": [1, 2, { "b": null }],\n  "c": {},\n  "d": [],\n  "e": "${long}"\n}`,
    );
  });

  it("keeps numbers, repeated keys and escapes as they were written", () => {
    const text = layOutJson(`{"id":12345678901234567890,"id":1.0e5,"s":"\\u00fc \\"}{\\" ${long}"}`);
    expect(text).toContain('"id": 12345678901234567890,\n  "id": 1.0e5,');
    expect(text).toContain('"s": "\\u00fc \\"}{\\" x');
  });

  it("in lines is laid out line by line", () => {
    expect(layOutJson(`{"a":1}\n{"a":"${long}"}\n`)).toBe(`{ "a": 1 }\n{\n  "a": "${long}"\n}`);
  });

  it.each([
    ["laid out already", `{\n  "a": "${long}"\n}`],
    ["short", '{"a":1}'],
    ["broken", `{"a":"${long}"`],
    ["no JSON at all", `)]}',\n["${long}"]`],
  ])("that is %s stays as it is", (_, text) => {
    expect(layOutJson(text)).toBe(text);
  });

  it("means the same afterwards", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (json) => {
        expect(JSON.parse(layOutJson(json))).toEqual(JSON.parse(json));
      }),
    );
  });

  it("does not outgrow its indentation when it is nested deeply", () => {
    const depth = 5000;
    const text = layOutJson(`${"[".repeat(depth)}"${long}"${"]".repeat(depth)}`);
    expect(text.length).toBeLessThan(depth * 200);
  });
});
