import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkBrowser } from "../../../src/cli/doctor/check-web.ts";

function createProgram(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "legion-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "chromium");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const sandbox = process.getuid?.() === 0 ? "without its sandbox, as it runs as root" : "in its sandbox";

it("names the browser, its version, and whether it has a sandbox", async () => {
  const file = createProgram('[ "$1" = --version ] && echo "Chromium 150.0.1 "');
  const found = { check: "browser", status: "ok", detail: `${file}, Chromium 150.0.1, ${sandbox}` };
  expect(await checkBrowser({}, { PATH: join(file, "..") })).toEqual(found);
  expect(await checkBrowser({ browser: file }, {})).toEqual(found);
});

it("says what it means that there is none, or that none is wanted", async () => {
  expect(await checkBrowser({ browser: "off" }, {})).toEqual({
    check: "browser",
    status: "ok",
    detail: "off: pages are read without running their scripts",
  });
  expect(await checkBrowser({ browser: "/nowhere/chrome" }, {})).toEqual({
    check: "browser",
    status: "wrong",
    detail: "/nowhere/chrome is no program, so pages are read without running their scripts",
  });
});

it("says that one does not run", async () => {
  const file = createProgram("exit 127");
  expect(await checkBrowser({ browser: file }, {})).toMatchObject({
    status: "wrong",
    detail: `${file} does not run, so pages are read without running their scripts`,
  });
});
