import { Readable } from "node:stream";
import { resolve } from "node:path";
import { isLegionError, LegionError } from "../../../base/errors.ts";
import { BETWEEN_TEXTS } from "../../../config/files/variables.ts";
import { ENVIRONMENT_KINDS } from "../../../environment/environment.ts";
import { checkPlace } from "../../../base/files/growing-file.ts";
import { findEnvironment } from "../../../environment/open.ts";
import { openConfiguration, type OpenedConfiguration } from "../../../legion/run/configuration.ts";
import { DEFAULT_AGENT } from "../../../legion/run/workshop.ts";
import { createAdmission } from "../../consent/ask-trust.ts";
import type { CliCommand, Io, Typed } from "../../kit/command.ts";
import {
  addCodeTrustOption,
  addDirOption,
  addJsonOption,
  addPolicyOption,
  eachTime,
  projectOf,
} from "../../kit/target.ts";
import { readText } from "../../kit/typed-text.ts";
import { consoleMode } from "../../console/console.ts";
import { askLimits, askTask } from "./ask.ts";
import { withBaseUrl } from "./base-url.ts";
import { configurationOf, withWholePaths } from "./configuration.ts";
import { findRun, recallRun, type RecalledRun } from "./recall.ts";
import type { TaskOrder } from "./task.ts";
import { typedMode } from "./watching.ts";

export const command: CliCommand = {
  define(parser) {
    addPolicyOption(addCodeTrustOption(addJsonOption(addDirOption(parser))))
      .argument("[task...]", "what shall be done; - reads it from standard input")
      .option("--session <name>", "in the session of that name, which is begun or gone on with")
      .option("--continue", "in the session, or run, with the newest event")
      .option("--resume <run>", "go on with a run that is not done; --limits steps=+50 gives it more")
      .option(
        "--agent <name>",
        `a definition in agents/, or the path of one (default: ${DEFAULT_AGENT}; a session keeps its own)`,
      )
      .option(
        "--config <file>",
        "a configuration of mini-SWE-agent, or key.path=value; again for more, later ones win",
        eachTime,
      )
      .option("--model <name>", "anthropic/<id>, openai/<id>, offline or scripted:<file>")
      .option("--base-url <url>", "where the model's provider is, or a compatible server; this once")
      .option(
        "--limits <limits>",
        "steps=100,turns=50,tokens=2000000,cost=2.50,time=8h (any of them), or none",
      )
      .option(
        "--environment <kind>",
        `where its commands run: ${ENVIRONMENT_KINDS.join(", ")} (default: what is settled; else a sandbox that works)`,
      )
      .option("--output <file>", "where its trajectory is written (default: trajectory.json in its folder)")
      .option(
        "--mode <mode>",
        "confirm: each call asks you; yolo: none does; human: you say the calls; usual",
      )
      .option("--yolo", "as --mode yolo, also without a sandbox; what is forbidden stays so")
      .option("--yes", "as --yolo")
      .option("--approvals <way>", "what has to be asked waits for you, or is denied: wait, deny");
  },
  run: runTask,
};

const LEFT = 130;

/** What a run keeps by itself: typed again as it began, it would undo what the person said of it since. */
const THE_RUNS_OWN = {
  ...{ session: undefined, continue: undefined, agent: undefined, config: undefined, model: undefined },
  ...{ mode: undefined, yolo: undefined, yes: undefined },
};

async function runTask(said: Typed, stdio: Io): Promise<number> {
  const { options } = said;
  const io = ioOf(said, stdio);
  const named = options.output === undefined ? undefined : await placeFor(options.output, io);
  const project = await projectOf(said, io);
  const typed = await withWholePaths(said, { cwd: io.cwd, projectDir: project });
  const { name: run, home } = await findRun(project, typed, io);
  const { stdout } = stdio;
  const task = typed.args.length > 0 ? await readText(typed.args, stdio) : undefined;
  const recalling = { typed, task, io, stdout, output: named };
  const recalled = await recallRun({ name: run, home }, recalling);
  const output = named ?? recalled.output;
  const reference = configurationOf(recalled);
  const configuration =
    reference === undefined
      ? undefined
      : await openConfiguration(reference, {
          ...{ cwd: io.cwd, projectDir: project },
          finding: await findEnvironment(io.env),
          typed: { mode: typedMode(typed) ?? recalled.mode, outputPath: output },
          said: typed.options.config?.split(BETWEEN_TEXTS),
          kept: recalled.kept,
        });
  try {
    const isResumed = options.resume !== undefined;
    const text =
      task ?? (isResumed ? undefined : (configuration?.latest().run.task ?? (await askTask(typed, stdio))));
    if (!isResumed && text === undefined) return LEFT;
    const order = { run, text, output, home, project, configuration };
    const code = await host({ ...order, recalled, typed, stdout }, io);
    if (typeof code === "number") return code;
    return await runTask({ args: [], options: { ...options, ...THE_RUNS_OWN, ...code, resume: run } }, stdio);
  } finally {
    await configuration?.close();
  }
}

interface HostedRun extends Omit<TaskOrder, "configuration" | "watching"> {
  readonly configuration: OpenedConfiguration | undefined;
  readonly project: string;
  readonly recalled: RecalledRun;
  readonly typed: Typed;
  readonly stdout: Io["stdout"];
}

/** Resolves with the exit code, or with what more the run may spend. */
async function host(
  { recalled, typed, stdout, ...order }: HostedRun,
  io: Io,
): Promise<number | { readonly limits: string }> {
  const { settings: flags, mode: before, ...who } = recalled;
  const { run, text: task, home, project, configuration } = order;
  const { createTask } = await import("./task.ts");
  const { displayFor } = await import("./display.ts");
  const { createFloor } = await import("./floor.ts");
  const { hostLegion } = await import("../start/host.ts");
  const watching = {
    typed: typedMode(typed),
    before,
    isConfiguredAnew: typed.options.config !== undefined,
    isAttended: io.stdin.isTTY === true,
  };
  const floor =
    consoleMode(io) === "prompt"
      ? createFloor(() => configuration?.latest().run.confirmExit ?? false)
      : undefined;
  const work = createTask({ ...order, watching, floor });
  const prints = typed.options["json"] ? "end" : "submission";
  const code = await hostLegion(
    {
      ...{ ...who, task, flags, project, home, typed, others: configuration?.others },
      ...{ until: "answered", detail: "brief", readers: "people", planWork: work.plan },
      admit: createAdmission(project, typed, io),
      openDisplay: displayFor({ run, task: work, stdout, prints, floor }),
    },
    io,
  );
  const limits = await askLimits(work.outcome(), io);
  return limits === undefined ? code : { limits };
}

/** Throws USAGE where no file can be. */
async function placeFor(path: string, { cwd }: Io): Promise<string> {
  if (path === "") throw new LegionError("USAGE", "--output: expected the path of a file");
  try {
    await checkPlace(path.endsWith("/") ? path : resolve(cwd, path));
  } catch (error) {
    if (!isLegionError(error)) throw error;
    throw new LegionError(error.code, `--output: ${error.message}`, { cause: error });
  }
  return resolve(cwd, path);
}

/**
 * What a run works with: its words go to standard error, and nobody types unless both are a terminal. A base URL that was typed
 * is the person's own word, for whichever provider it will be.
 */
function ioOf({ options: { json, baseUrl } }: Typed, io: Io): Io {
  const isTyped = io.stdin.isTTY && io.stderr.isTTY && !json;
  return {
    ...io,
    env: withBaseUrl(io.env, baseUrl),
    stdin: isTyped ? io.stdin : (Readable.from([]) as Io["stdin"]),
    stdout: io.stderr,
  };
}
