import { describe, expect, it } from "vitest";
import { canTellInHeaders } from "../../../../modules/mcp/tools/param-headers.ts";

const told = (header: unknown, more: object = { type: "string" }): object => ({
  ...more,
  "x-mcp-header": header,
});
const tool = (...parameters: object[]): object => ({
  type: "object",
  properties: Object.fromEntries(parameters.entries()),
});

describe("parameters that go in headers", () => {
  it.each([
    ["none", tool({ type: "string" })],
    ["one", tool(told("Region"))],
    [
      "numbers without a fraction, and yes or no",
      tool(told("A", { type: "integer" }), told("B", { type: "boolean" })),
    ],
    ["one in an object", tool({ type: "object", properties: { city: told("City") } })],
    ["one whose default looks like one", tool({ default: { "x-mcp-header": "" } })],
  ])("are good: %s", (_, schema) => expect(canTellInHeaders(schema)).toBe(true));
});

describe("hostile: MCP", () => {
  it.each([
    ["empty", tool(told(""))],
    ["no text", tool(told(7))],
    ["a line of its own", tool(told("A\r\nAuthorization"))],
    ["a space", tool(told("A B"))],
    ["no ASCII", tool(told("Région"))],
    ["of a fraction", tool(told("A", { type: "number" }))],
    ["of an object", tool(told("A", { type: "object" }))],
    ["twice", tool(told("A"), told("a"))],
    ["of the tool itself", told("A", { type: "object" })],
    ["of what may come many times", tool({ type: "array", items: told("A") })],
    ["in one of several forms", tool({ anyOf: [told("A")] })],
    ["behind a reference", { ...tool({ $ref: "#/$defs/a" }), $defs: { a: told("A") } }],
    [
      "a hundred thousand deep",
      Array.from({ length: 100_000 }).reduce((inner) => ({ items: inner }), {}) as object,
    ],
  ])("a header of a parameter that is %s makes its tool none", (_, schema) =>
    expect(canTellInHeaders(schema)).toBe(false),
  );
});
