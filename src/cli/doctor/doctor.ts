import { createRedactor, type Redactor } from "../../base/redaction/redactor.ts";
import type { Config, ConfigSources } from "../../config/config.ts";
import { LegionError, isLegionError, messageOf } from "../../base/errors.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { createFileReader, type FileReader } from "../../storage/files/reader/reader.ts";
import { checkFound } from "./check-found.ts";
import { checkMachine, checkModel } from "./check-machine.ts";
import { checkMemories } from "./check-memories.ts";
import { checkAgents, checkProject } from "./check-project.ts";
import { checkPurse } from "./check-purse.ts";
import { checkWeb } from "./check-web.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { finding, type DoctorFinding } from "./finding.ts";
import { leftOut } from "../../config/grants/left-out.ts";
import { oneLine, print, printJson } from "../kit/output.ts";
import {
  aboutRun,
  addJsonOption,
  addLegionOptions,
  addTrustOption,
  placeOf,
  projectOf,
  type Site,
} from "../kit/target.ts";
import { loadConfig } from "../../config/load-config.ts";

const NO_REPAIR =
  "--repair: there is nothing to repair of a legion in Redis; `--bus memory` means the files of this project";

export const command: CliCommand = {
  define(parser) {
    parser.option("--repair", "put right what can be put right while no node runs; nothing is lost by it");
    addTrustOption(addJsonOption(addLegionOptions(parser)));
  },
  async run(typed, io) {
    const project = await projectOf(typed, io);
    const { home, ...flags } = await placeOf(project, typed, io);
    const reader = createFileReader(project, { home });
    const settings = await findSettings({ projectDir: project, env: io.env, flags });
    if (typed.options["repair"]) {
      if (settings.config?.bus.kind === "redis") throw new LegionError("REFUSED", NO_REPAIR);
      const redactor = createRedactor(settings.config?.secrets() ?? []);
      await showRepairs(reader, redactor, typed, io);
    }
    const findings: DoctorFinding[] = [];
    const site = { project, home };
    for await (const found of examine(site, { reader, settings, io })) {
      findings.push(found);
      if (typed.options["json"]) printJson(io, found);
      else print(io, lineOf(found));
    }
    if (!typed.options["json"]) print(io, aboutRun(verdict(findings), site));
    return findings.some(({ status }) => status === "damaged") ? 1 : 0;
  },
};

interface FoundSettings {
  readonly found: DoctorFinding;
  /** Absent: they are wrong. */
  readonly config?: Config;
}

/** Throws USAGE for what was typed; other mistakes in the settings are a finding. */
async function findSettings(sources: ConfigSources): Promise<FoundSettings> {
  try {
    const config = await loadConfig(sources);
    return { config, found: finding("config", "ok", "valid") };
  } catch (error) {
    const detail = messageOf(error);
    if (isLegionError(error, "USAGE") && detail.startsWith("--")) throw error;
    return { found: finding("config", "wrong", detail) };
  }
}

async function showRepairs(
  reader: FileReader,
  redactor: Redactor,
  { options }: Typed,
  io: Io,
): Promise<void> {
  const { repair } = await import("./repair.ts");
  let count = 0;
  for await (const { repair: what, status, detail } of repair(reader, redactor)) {
    count++;
    if (options["json"]) printJson(io, { repair: what, status, detail });
    else print(io, `${status.padEnd(8)} ${oneLine(what)}: ${oneLine(detail)}`);
  }
  if (!options["json"]) print(io, count === 0 ? "Nothing to repair.\n" : "");
}

interface Examination {
  readonly reader: FileReader;
  readonly settings: FoundSettings;
  readonly io: Io;
}

async function* examine(
  site: Pick<Site, "project" | "home">,
  { reader, settings: { found, config }, io }: Examination,
): AsyncGenerator<DoctorFinding> {
  yield* checkMachine(io);
  yield found;
  if (config) yield* checkTrust(config);
  if (config) yield* checkPurse(config, openPersonFolder(io.env));
  if (config) yield* checkModel(config, reader.paths.project);
  if (config) yield* checkWeb(config, io.env);
  yield* checkProject(reader);
  if (config) yield* checkFound(config, reader.paths.project);
  if (config?.bus.kind !== "redis") {
    for await (const { detail, ...about } of checkAgents(reader))
      yield { ...about, detail: aboutRun(detail, site) };
    yield* checkMemories(reader.paths.project, openPersonFolder(io.env));
    return;
  }
  const { checkRedis } = await import("./check-redis.ts");
  yield* checkRedis(config.bus.address, config.name);
}

/** Silent where nothing is left out. */
function* checkTrust({ grants }: Config): Generator<DoctorFinding> {
  const open = grants.filter(({ isGranted }) => !isGranted);
  if (open.length > 0) yield finding("trust", "warning", leftOut(open));
}

function lineOf({ check, status, detail }: DoctorFinding): string {
  return `${status.padEnd(8)} ${oneLine(check).padEnd(18)} ${oneLine(detail)}`;
}

function verdict(findings: readonly DoctorFinding[]): string {
  const countOf = (wanted: DoctorFinding["status"]): number =>
    findings.filter(({ status }) => status === wanted).length;
  const [damaged, wrong, warnings] = [countOf("damaged"), countOf("wrong"), countOf("warning")];
  if (damaged > 0)
    return `\n${damaged} damaged: what can be read is used. \`legion doctor --repair\` sets the rest aside and tells the agents.`;
  if (wrong > 0) return `\n${wrong} to put right.`;
  return warnings > 0 ? `\nNothing to put right, ${warnings} to know of.` : "\nAll is well.";
}
