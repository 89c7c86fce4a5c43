import { expect, it } from "vitest";
import { parseDotEnv } from "../../../src/config/files/dot-env.ts";

const faultsIn = (text: string): readonly string[] =>
  parseDotEnv(text).faults.map(({ key, line }) => `${line} ${key}`);

it("sets what Node would set", () => {
  const { values, faults } = parseDotEnv('A=1\nexport B="two"\n# C: 3\nURL=http://h:1/x\n');
  expect({ values: { ...values }, faults }).toEqual({
    values: { A: "1", B: "two", URL: "http://h:1/x" },
    faults: [],
  });
});

it.each([
  ["KEY: value", ["1 KEY"]],
  ["A=1\n\n  export OPENAI_API_KEY : sk-a=b\r\nB: 2", ["3 OPENAI_API_KEY", "4 B"]],
  ["# it's: a comment\nKEY:", ["2 KEY"]],
  ['A="x\nB: in quotes\n"\nC: 1', ["4 C"]],
  ["A='it\nB: 2", ["2 B"]],
  ["A=b: c\nhttp://x\n: y\n- a: b", ["2 http"]],
  ["OPENAI_API_KEY sk-1\nexport A_B\tx\nexport A_B\nA_B = x y\nNOTE to self", ["1 OPENAI_API_KEY", "2 A_B"]],
  ["A_KEY='it\nB_KEY is\n'", []],
  ["", []],
])("finds in %j what sets nothing: %j", (text, faults) => {
  expect(faultsIn(text)).toEqual(faults);
});
