import { describe, expect, it } from "vitest";
import { commandFor, readAnswer } from "../../../../src/cli/console/question/answer.ts";

describe("a line at the prompt", () => {
  it.each([
    ["y", "approve 2.417"],
    [" Yes ", "approve 2.417"],
    ["a", "approve 2.417 --always call"],
    ["h", "approve 2.417 --always host"],
    ["n", "deny 2.417 --"],
    ["No", "deny 2.417 --"],
    ["n --force is not ours to use", "deny 2.417 -- --force is not ours to use"],
    ["no, use the 'test' system", "deny 2.417 -- use the 'test' system"],
  ])("%j answers a question", (line, command) => {
    expect(commandFor(readAnswer(line)!, "2.417").join(" ")).toBe(command);
  });

  it.each([
    "",
    "yes, do it",
    "y y",
    "a bird",
    "h2",
    "now",
    "note that",
    "none of it",
    "2: y",
    "/approve 2.417",
    "constructor",
    "y\nn",
  ])("%j answers none", (line) => {
    expect(readAnswer(line)).toBeUndefined();
  });
});
