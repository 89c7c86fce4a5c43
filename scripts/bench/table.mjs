// `npm run bench [name ...] -- --page`: puts the figures that have a goal, and those of peers, into the table of docs/performance.md. A
// line of an earlier run stays until its measure is run again.

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../repo.mjs";

const [BEGIN, END] = ["<!-- figures -->", "<!-- end of figures -->"];
const HEAD =
  "| measure | now | beside | goal | | run with | taken on |\n| --- | --- | --- | --- | --- | --- | --- |";

/** @param {readonly { measure: string, what: string, value: string, beside: string, goal: string, verdict: string }[]} figures */
export function writePage(figures) {
  const path = join(root, "docs/performance.md");
  const page = readFileSync(path, "utf8");
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  const lines = new Map(
    page
      .slice(from, to)
      .split("\n")
      .filter((line) => line.startsWith("| ") && !line.startsWith("| measure") && !line.startsWith("| ---"))
      // The page is formatted by others, too.
      .map((line) => [line.split(" | ")[0]?.trimEnd(), line]),
  );
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
  const day = new Date().toISOString().slice(0, 10);
  for (const { measure, what, value, beside, goal, verdict } of figures) {
    if (verdict === "" && measure !== "peers") continue;
    const mark = verdict === "missed" ? "**red**" : verdict;
    const cells = [what, value, beside, goal, mark, `\`npm run bench ${measure}\``, `${day}, ${machine}`];
    const line = `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
    lines.set(`| ${what.replaceAll("|", "\\|")}`, line);
  }
  writeFileSync(
    path,
    `${page.slice(0, from)}\n\n${[HEAD, ...lines.values()].join("\n")}\n\n${page.slice(to)}`,
  );
}
