import { expect, it } from "vitest";
import { fitRows } from "../../../src/cli/console/fit.ts";

it("breaks rows between words, under their indentation, and leaves JSON, colours and pipes as they are", () => {
  const rows = "short\n  a row that is longer than that\n";
  expect(fitRows(rows, 20)).toBe("short\n  a row that is\n  longer than that\n");
  expect(fitRows(rows, Infinity)).toBe(rows);
  const kept = '{"a": "a text that is longer"}\n\u001b[31ma row that is longer\u001b[39m\n';
  expect(fitRows(kept, 20)).toBe(kept);
});
