import { existsSync, rmSync, statSync, utimesSync } from "node:fs";
import { expect, it } from "vitest";
import { createClone } from "./clone.ts";

const PREPARE = ["scripts/prepare.mjs"];

function createInstalledClone() {
  const clone = createClone();
  clone.link();
  return clone;
}

it("makes a command that runs, and then has nothing to do and nothing to say", () => {
  const clone = createInstalledClone();
  expect(clone.run(PREPARE)).toMatchObject({
    status: 0,
    stdout: "",
    stderr: expect.stringMatching(/^Building\.\.\.\nBuilt in .* s\.\n$/),
  });
  expect(clone.run(["dist/src/cli/index.js"]).stdout).toBe("hello\n");
  expect(clone.read("dist/src/cli/index.js")).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(clone.read("dist/src/base/hello.d.ts")).toContain("hello: string");
  expect(clone.run(PREPARE)).toMatchObject({ status: 0, stdout: "", stderr: "" });
});

it.skipIf(process.platform === "win32")("leaves a command that a shell can execute", () => {
  const clone = createInstalledClone();
  clone.run(PREPARE);
  expect(statSync(clone.path("dist/src/cli/index.js")).mode & 0o111).toBe(0o111);
});

it("builds again when a source says something else, even at the same time and size", () => {
  const clone = createInstalledClone();
  clone.run(PREPARE);
  const { atime, mtime } = statSync(clone.path("src/base/hello.ts"));
  clone.write("src/base/hello.ts", clone.read("src/base/hello.ts").replace('"hello"', '"adieu"'));
  utimesSync(clone.path("src/base/hello.ts"), atime, mtime);
  expect(clone.run(PREPARE).stderr).toContain("Built");
  expect(clone.run(["dist/src/cli/index.js"]).stdout).toBe("adieu\n");
});

it("removes from dist what has lost its source", () => {
  const clone = createInstalledClone();
  clone.write("src/gone.ts", "export const gone = 1;\n");
  clone.run(PREPARE);
  expect(existsSync(clone.path("dist/src/gone.js"))).toBe(true);
  rmSync(clone.path("src/gone.ts"));
  clone.run(PREPARE);
  expect(existsSync(clone.path("dist/src/gone.js"))).toBe(false);
  expect(existsSync(clone.path("dist/src/gone.d.ts"))).toBe(false);
});

it("builds no more than the first start needs, and the rest as soon as more is wanted", () => {
  const clone = createInstalledClone();
  const start = [...PREPARE, "to-start"];
  clone.write("src/base/hello.ts", 'export const hello: number = "hello";\n');
  expect(clone.run(start)).toMatchObject({ status: 0, stderr: expect.stringContaining("Built in") });
  expect(clone.run(["dist/src/cli/index.js"]).stdout).toBe("hello\n");
  expect(clone.run(start)).toMatchObject({ status: 0, stderr: "" });
  expect(clone.run(PREPARE)).toMatchObject({ status: 1, stderr: expect.stringContaining("error TS2322") });
  clone.write("src/base/hello.ts", "export const hello: number = 1;\n");
  expect(clone.run(PREPARE).stderr).toContain("Built in");
  expect(clone.read("dist/src/base/hello.d.ts")).toContain("hello: number");
  expect(clone.run(start)).toMatchObject({ status: 0, stderr: "" });
});

it("checks what is started once something was built before", () => {
  const clone = createInstalledClone();
  clone.run([...PREPARE, "to-start"]);
  clone.write("src/base/hello.ts", 'export const hello: number = "hello";\n');
  expect(clone.run([...PREPARE, "to-start"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("error TS2322"),
  });
});

it("shows the compiler's errors, keeps the last good build, and tries again the next time", () => {
  const clone = createInstalledClone();
  clone.run(PREPARE);
  clone.write("src/base/hello.ts", "export const hello: string = 1;\n");
  for (let attempt = 1; attempt <= 2; attempt++) {
    const { status, stderr } = clone.run(PREPARE);
    expect(status).toBe(1);
    expect(stderr).toMatch(/hello\.ts.*error TS2322/s);
    expect(stderr).toMatch(/Building failed.*\n$/);
  }
  expect(clone.run(["dist/src/cli/index.js"]).stdout).toBe("hello\n");
});
