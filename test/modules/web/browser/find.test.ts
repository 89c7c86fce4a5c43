import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findBrowser } from "../../../../modules/web/browser/find.ts";

function createPlaces() {
  const root = mkdtempSync(join(tmpdir(), "legion-find-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (name: string, mode: number) => {
    const file = join(root, name);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, mode);
    return file;
  };
  return {
    folder: (name: string) => join(root, name),
    program: (name: string) => write(name, 0o755),
    text: (name: string) => write(name, 0o644),
  };
}

it("takes the configured one, else that of PUPPETEER_EXECUTABLE_PATH, and then no other", () => {
  const places = createPlaces();
  const [configured, named] = [places.program("a/mine"), places.program("b/named")];
  places.program("path/chromium");
  const env = { PUPPETEER_EXECUTABLE_PATH: named, PATH: places.folder("path") };
  expect(findBrowser({ path: configured, env })).toBe(configured);
  expect(findBrowser({ env })).toBe(named);
  expect(findBrowser({ path: places.folder("a/nothing"), env })).toBeUndefined();
  expect(findBrowser({ path: places.text("a/text"), env })).toBeUndefined();
  expect(findBrowser({ path: places.folder("a"), env })).toBeUndefined();
});

it("takes Chromium before Chrome before Edge, wherever on the PATH they are", () => {
  const places = createPlaces();
  const edge = places.program("1/microsoft-edge");
  const chrome = places.program("2/google-chrome");
  const chromium = places.program("3/chromium");
  const PATH = (...names: string[]) => names.map((name) => places.folder(name)).join(delimiter);
  expect(findBrowser({ env: { PATH: PATH("1", "2", "3") } })).toBe(chromium);
  expect(findBrowser({ env: { PATH: PATH("1", "2") } })).toBe(chrome);
  expect(findBrowser({ env: { PATH: `${delimiter}${PATH("1")}` } })).toBe(edge);
});

it("passes over what is no program", () => {
  const places = createPlaces();
  places.text("1/chromium");
  mkdirSync(join(places.folder("2"), "chromium"), { recursive: true });
  const chrome = places.program("3/chrome");
  const PATH = ["1", "2", "3"].map(places.folder).join(delimiter);
  expect(findBrowser({ env: { PATH, PUPPETEER_EXECUTABLE_PATH: "" } })).toBe(chrome);
});
