import { loadConfig, type Config } from "../config.ts";
import { messageOf } from "../errors.ts";
import type { Reader } from "../reader.ts";
import { checkMachine, checkModel } from "./check-machine.ts";
import { checkProject } from "./check-project.ts";
import type { CliCommand, Io, Typed } from "./command.ts";
import type { Finding } from "./finding.ts";
import { oneLine, print, printJson } from "./output.ts";
import { offerDir, offerJson, readerOf } from "./project.ts";

export const command: CliCommand = {
  define(parser) {
    parser.option("--repair", "put right what can be put right while no node runs; nothing is lost by it");
    offerJson(offerDir(parser));
  },
  async run(typed, io) {
    const reader = await readerOf(typed, io);
    if (typed.options["repair"]) await showRepairs(reader, typed, io);
    const findings: Finding[] = [];
    for await (const finding of examine(reader, io)) {
      findings.push(finding);
      if (typed.options["json"]) printJson(io, finding);
      else print(io, lineOf(finding));
    }
    const isDamaged = findings.some(({ status }) => status === "damaged");
    if (!typed.options["json"]) print(io, verdict(findings));
    return isDamaged ? 1 : 0;
  },
};

async function showRepairs(reader: Reader, { options }: Typed, io: Io): Promise<void> {
  const { repair } = await import("./repair.ts");
  let count = 0;
  for await (const { repair: what, status, detail } of repair(reader)) {
    count++;
    if (options["json"]) printJson(io, { repair: what, status, detail });
    else print(io, `${status.padEnd(8)} ${oneLine(what)}: ${oneLine(detail)}`);
  }
  if (!options["json"]) print(io, count === 0 ? "Nothing to repair.\n" : "");
}

async function* examine(reader: Reader, io: Io): AsyncGenerator<Finding> {
  yield* checkMachine(io);
  const { project } = reader.paths;
  const config = await loadConfig({ projectDir: project, env: io.env, flags: {} }).catch(
    (error: unknown): Finding => ({ check: "config", status: "wrong", detail: messageOf(error) }),
  );
  if (isFinding(config)) yield config;
  else {
    yield { check: "config", status: "ok", detail: "valid" };
    yield* checkModel(config, project);
  }
  yield* checkProject(reader);
}

function isFinding(config: Config | Finding): config is Finding {
  return "check" in config;
}

function lineOf({ check, status, detail }: Finding): string {
  return `${status.padEnd(8)} ${oneLine(check).padEnd(18)} ${oneLine(detail)}`;
}

function verdict(findings: readonly Finding[]): string {
  const count = (status: Finding["status"]): number =>
    findings.filter((finding) => finding.status === status).length;
  if (count("damaged") > 0)
    return `\n${count("damaged")} damaged: what can be read is used. \`legion doctor --repair\` sets the rest aside and tells the agents.`;
  return count("wrong") > 0 ? `\n${count("wrong")} to put right.` : "\nAll is well.";
}
