import { z } from "zod";
import { commandParameter } from "../../src/domain/authoring/command.ts";
import { defineAction, fail, fromOutside, ok, type ActionResult } from "../../src/domain/authoring/module.ts";
import type { CommandEnd } from "../../src/domain/authoring/workspace.ts";
import { lastLines, linesOf, withoutEscapes } from "./text.ts";
import type { Host } from "../../src/domain/authoring/host.ts";

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 600;

/** What every action says that runs one. */
export const ofCommands = {
  command: commandParameter.describe("The command"),
  // Hosts such as `example.com, example.com:8443`. A command that was kept from one is told of it.
  network: z
    .string()
    .max(2_000)
    .refine((hosts) => !hosts.includes("*"), "name each host, such as example.com or example.com:8443")
    .optional()
    .meta({ told: "when needed" }),
};

export const executeCommand = defineAction({
  description: "Run a command in a shell in the workspace; what it leaves running in the background is ended",
  parameters: {
    command: ofCommands.command,
    timeout: z.coerce
      .number()
      .positive()
      .max(MAX_TIMEOUT_S)
      .optional()
      .describe(`Seconds until it is ended, ${DEFAULT_TIMEOUT_S} unless given`),
    network: ofCommands.network,
  },
  touches: touchesOf,
  aliases: ["runCommand"],
  async execute({ command, timeout = DEFAULT_TIMEOUT_S, network }, host) {
    const { signal, progress } = host;
    const hosts = hostsIn(network);
    const run = await host.workspace.execute(command, {
      timeoutMs: timeout * 1_000,
      signal,
      hosts,
      onOutput: progress,
    });
    const output = `${await show(run.output, host)}${remarksOf(run)}`;
    const details = { exitCode: run.exitCode, ...(run.ended && { ended: run.ended }) };
    const result =
      run.exitCode === 0
        ? ok(`Command executed successfully:\n${output}`, details)
        : host.protocol === "tools" && run.exitCode !== null
          ? ok(`Command ended with exit code ${run.exitCode}:\n${output}`, details)
          : fail(`Command execution failed: ${reasonOf(run, timeout)}\nOutput:\n${output}`, details);
    return reaching(hosts, result);
  },
});

export function touchesOf({ command, network }: { readonly command: string; readonly network?: string }) {
  return [
    { kind: "run", command } as const,
    ...hostsIn(network).map((host) => ({ kind: "net", host }) as const),
  ];
}

/** Marks what may come from `hosts`. */
export function reaching(hosts: readonly string[], result: ActionResult): ActionResult {
  return hosts.length === 0 ? result : fromOutside(result, `command reaching ${hosts.join(", ")}`);
}

/** What the parameter `network` names; none if it is absent. */
export function hostsIn(network = ""): readonly string[] {
  return network.split(/[\s,]+/).filter((host) => host !== "");
}

/** A line for each. */
export function remarksOf({ remarks = [] }: CommandEnd): string {
  return remarks.map((remark) => `\n[${remark}]`).join("");
}

export function reasonOf({ exitCode, ended }: CommandEnd, timeoutS?: number): string {
  if (ended === "timeout") return `it was ended after ${timeoutS} s, its time limit`;
  if (ended === "too much output") return "it was ended because it printed too much";
  if (ended === "too many processes") return "it was ended because it started too many processes";
  if (ended === "disk full") return "it was ended because the disk was nearly full";
  if (ended === "aborted") return "it was stopped";
  return exitCode === null ? "it could not be run" : `exit code ${exitCode}`;
}

/** What of an output a result shows. */
export async function show(output: string, host: Host): Promise<string> {
  const text = await withoutEscapes(output);
  if (text.trim() === "") return "(nothing)";
  const { shown, omittedLines } = lastLines(text);
  if (omittedLines === 0) return shown.trimEnd();
  const path = await host.keep(text);
  return `[Left out: ${linesOf(omittedLines)} before these. Full text: ${path}]\n${shown.trimEnd()}`;
}
