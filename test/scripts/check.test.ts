import { expect, it } from "vitest";
import { LEAST_CASES } from "../../scripts/hostile.mjs";
import { createClone, type Clone } from "./clone.ts";

const TESTS = 'import { expect, it } from "vitest";\n\n';

function lastLine(text: string): string | undefined {
  return text.split("\n").at(-2);
}

it("ends with how many passed: each static check and each test that vitest was asked for is one", () => {
  const clone = createClone();
  clone.link();
  clone.write("test/a.test.ts", `${TESTS}it("adds", () => expect(1 + 1).toBe(2));\nit.todo("multiplies");\n`);
  clone.write("test/b.test.ts", `${TESTS}it("adds", () => expect(1 + 1).toBe(3));\n`);
  const { status, stdout } = clone.run(["scripts/check.mjs", "test/a"]);
  expect(lastLine(stdout)).toBe("6 passed, 0 failed");
  expect(status).toBe(0);
});

it("runs every check even when others fail, and shows why they failed", () => {
  const clone = createClone();
  clone.link();
  clone.write(
    "src/base/hello.ts",
    "export const hello: string = 1\nexport type T = any;\nPromise.reject(new Error());\n",
  );
  clone.write("test/a.test.ts", `${TESTS}it("adds", () => expect(1 + 1).toBe(3));\n`);
  clone.write("test/b.test.ts", `${TESTS}it("adds", () => expect(1 + 1).toBe(2));\n`);
  const { status, stdout } = clone.run(["scripts/check.mjs"]);
  expect(stdout).toMatch(/hello\.ts.*TS2322/s);
  expect(stdout).toContain("no-floating-promises");
  expect(stdout).toContain("[warn] src/base/hello.ts");
  expect(stdout).toContain("src/base/hello.ts:2: `any`");
  expect(lastLine(stdout)).toBe("1 passed, 7 failed");
  expect(status).toBe(1);
});

/** As many hostile cases as there have to be. */
function writeHostileCases(clone: Clone, leastCases: Readonly<Record<string, number>>): void {
  const groups = Object.entries(leastCases).map(
    ([group, cases]) =>
      `describe("hostile: ${group}", () => it.each([...Array(${cases}).keys()])("%i", () => {}));\n`,
  );
  clone.write("test/hostile.test.ts", `import { describe, it } from "vitest";\n\n${groups.join("")}`);
}

it("shows the hostile cases by group, and fails a whole run that has fewer than it must", () => {
  const clone = createClone();
  clone.link();
  writeHostileCases(clone, LEAST_CASES);
  const whole = clone.run(["scripts/check.mjs"]);
  const all = Object.values(LEAST_CASES).reduce((sum, least) => sum + least, 0);
  const others = Object.keys(LEAST_CASES).length - 1;
  expect(whole.stdout).toMatch(
    new RegExp(
      `^hostile +cases blocked\\nSSRF +${LEAST_CASES.SSRF} +${LEAST_CASES.SSRF}\\n(.*\\n){${others}}all +${all} +${all}\\n\\n`,
      "m",
    ),
  );
  expect(whole.stdout).toMatch(new RegExp(`^tests +${all} passed +0 failed`, "m"));
  expect(whole.stdout).not.toContain("✗ hostile");

  writeHostileCases(clone, { ...LEAST_CASES, paths: 23 });
  const short = clone.run(["scripts/check.mjs"]);
  expect(short.stdout).toContain("✗ hostile\nhostile: paths has 23 cases of at least 24.\n");
  expect(short.stdout).toMatch(/^hostile +0 passed +1 failed/m);
  expect(short.status).toBe(1);
  expect(clone.run(["scripts/check.mjs", "test/hostile"]).stdout).not.toContain("✗ hostile");
});

it("counts an error outside of any test as a failure", () => {
  const clone = createClone();
  clone.link();
  clone.write("test/a.test.ts", `${TESTS}it("adds", () => void Promise.reject(expect));\n`);
  const { status, stdout } = clone.run(["scripts/check.mjs"]);
  expect(stdout).toMatch(/^tests +1 passed +1 failed/m);
  expect(status).toBe(1);
});

it("fails with one line on a clone that cannot be installed", () => {
  const clone = createClone();
  clone.write("npm-cli.js", "process.exit(1);\n");
  const { status, stdout } = clone.run(["scripts/check.mjs"], { npm_execpath: clone.path("npm-cli.js") });
  expect(lastLine(stdout)).toBe("0 passed, 1 failed");
  expect(status).toBe(1);
});
