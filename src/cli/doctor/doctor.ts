import { loadConfig, type Config } from "../../config/config.ts";
import { LegionError, isLegionError, messageOf } from "../../base/errors.ts";
import { createFileReader, type FileReader } from "../../storage/files/reader/reader.ts";
import { checkMachine, checkModel } from "./check-machine.ts";
import { checkAgents, checkProject } from "./check-project.ts";
import { checkWeb } from "./check-web.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { finding, type DoctorFinding } from "./finding.ts";
import { oneLine, print, printJson } from "../kit/output.ts";
import { addJsonOption, addLegionOptions, addTrustOption, projectOf } from "../kit/target.ts";

export const command: CliCommand = {
  define(parser) {
    parser.option("--repair", "put right what can be put right while no node runs; nothing is lost by it");
    addTrustOption(addJsonOption(addLegionOptions(parser)));
  },
  async run(typed, io) {
    const reader = createFileReader(await projectOf(typed, io));
    const config = await findConfig(reader.paths.project, typed, io);
    if (typed.options["repair"]) {
      if (!isFinding(config) && config.bus.kind === "redis") throw repairsFiles();
      await showRepairs(reader, typed, io);
    }
    const findings: DoctorFinding[] = [];
    for await (const found of examine(reader, config, io)) {
      findings.push(found);
      if (typed.options["json"]) printJson(io, found);
      else print(io, lineOf(found));
    }
    const isDamaged = findings.some(({ status }) => status === "damaged");
    if (!typed.options["json"]) print(io, verdict(findings));
    return isDamaged ? 1 : 0;
  },
};

/** Throws USAGE for what was typed; other mistakes in the settings are a finding. */
async function findConfig(projectDir: string, typed: Typed, { env }: Io): Promise<Config | DoctorFinding> {
  try {
    const { bus, name } = typed.options;
    return await loadConfig({ projectDir, env, flags: { bus, name } });
  } catch (error) {
    const detail = messageOf(error);
    if (isLegionError(error, "USAGE") && detail.startsWith("--")) throw error;
    return finding("config", "wrong", detail);
  }
}

function repairsFiles(): LegionError {
  const way = "`--bus memory` means the files of this project";
  return new LegionError("REFUSED", `--repair: there is nothing to repair of a legion in Redis; ${way}`);
}

async function showRepairs(reader: FileReader, { options }: Typed, io: Io): Promise<void> {
  const { repair } = await import("./repair.ts");
  let count = 0;
  for await (const { repair: what, status, detail } of repair(reader)) {
    count++;
    if (options["json"]) printJson(io, { repair: what, status, detail });
    else print(io, `${status.padEnd(8)} ${oneLine(what)}: ${oneLine(detail)}`);
  }
  if (!options["json"]) print(io, count === 0 ? "Nothing to repair.\n" : "");
}

async function* examine(
  reader: FileReader,
  config: Config | DoctorFinding,
  io: Io,
): AsyncGenerator<DoctorFinding> {
  yield* checkMachine(io);
  if (isFinding(config)) yield config;
  else {
    yield finding("config", "ok", "valid");
    yield* checkModel(config, reader.paths.project);
    yield* checkWeb(config, io.env);
  }
  yield* checkProject(reader);
  if (isFinding(config) || config.bus.kind !== "redis") return yield* checkAgents(reader);
  const { checkRedis } = await import("./check-redis.ts");
  yield* checkRedis(config.bus.address, config.name);
}

function isFinding(config: Config | DoctorFinding): config is DoctorFinding {
  return "check" in config;
}

function lineOf({ check, status, detail }: DoctorFinding): string {
  return `${status.padEnd(8)} ${oneLine(check).padEnd(18)} ${oneLine(detail)}`;
}

function verdict(findings: readonly DoctorFinding[]): string {
  const [damaged, wrong, warnings] = (["damaged", "wrong", "warning"] as const).map(
    (each) => findings.filter(({ status }) => status === each).length,
  ) as [number, number, number];
  if (damaged > 0)
    return `\n${damaged} damaged: what can be read is used. \`legion doctor --repair\` sets the rest aside and tells the agents.`;
  if (wrong > 0) return `\n${wrong} to put right.`;
  return warnings > 0 ? `\nNothing to put right, ${warnings} to know of.` : "\nAll is well.";
}
