import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { buildPage } from "../../scripts/page.mjs";
import { root } from "../../scripts/repo.mjs";

const MAX_BYTES = 110 * 1_024;

it("is a few files of its own, and small enough for anybody's connection", ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), "legion-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(buildPage(root, folder)).toBe(true);
  const files = readdirSync(folder).sort();
  expect(files).toEqual(["index.html", "layout.js", "page.css", "page.js"]);
  const sizes = files.map((file) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_BYTES);
});

it("has no code or style in its HTML, and names no other host", () => {
  const html = readFileSync(join(root, "page/index.html"), "utf8");
  expect(html).not.toMatch(/<script(?![^>]*\bsrc="\/)|<style|\bstyle=|\bon\w+=/i);
  const addresses = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
  expect(addresses.filter((address) => !/^(\/[a-z]|data:image)/.test(address!))).toEqual([]);
});
