import { describe, expect, it } from "vitest";
import { fieldsOf, isTexts, readJson, unquoted } from "../../../src/base/text/json.ts";

describe("JSON that somebody else wrote", () => {
  it("is nothing where it is no JSON", () => {
    expect(readJson('{"a":1}')).toEqual({ a: 1 });
    for (const text of ["", "{", "undefined"]) expect(readJson(text)).toBeUndefined();
  });

  it("has fields only where it is an object, and only its own", () => {
    for (const value of [undefined, null, 1, "text", true]) expect(Object.keys(fieldsOf(value))).toEqual([]);
    const { name, constructor } = fieldsOf(readJson('{"name":"x","__proto__":{"constructor":1}}'));
    expect([name, constructor]).toEqual(["x", undefined]);
  });

  it("is one string, or stands for itself", () => {
    expect(['"a b"', "a", '"a" and "b"', '"', "1"].map(unquoted)).toEqual([
      "a b",
      "a",
      '"a" and "b"',
      '"',
      "1",
    ]);
  });

  it("is a list of texts if every item is one", () => {
    expect([[], ["a"], ["a", 1], "a", null].map(isTexts)).toEqual([true, true, false, false, false]);
  });
});
