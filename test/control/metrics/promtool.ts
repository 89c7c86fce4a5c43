// What Prometheus itself says of metrics and settings.

import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { findPromtool } from "../../../scripts/promtool.mjs";

/** Without it what it would say is not asked; with `CI=true` that fails. */
const promtool = findPromtool();

/** What is wrong with metrics in the text format; empty if nothing is. */
export function checkMetrics(text: string): string {
  return ask(["check", "metrics"], text);
}

/** What is wrong with a file of settings, and with the files that it names. */
export function checkConfig(path: string): string {
  return ask(["check", "config", path], "");
}

function ask(argv: readonly string[], input: string): string {
  if (promtool === undefined) {
    expect(process.env["CI"], "promtool is missing").not.toBe("true");
    return "";
  }
  const { status, stdout, stderr } = spawnSync(promtool, argv, { input, encoding: "utf8" });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** The value of each sample, by its name and labels as they are written. */
export function samplesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(/\S+$/.exec(line)?.[0])]));
}
