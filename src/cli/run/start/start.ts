import { basename } from "node:path";
import type { ConfigFlags } from "../../../config/config.ts";
import { BETWEEN_TEXTS } from "../../../config/files/variables.ts";
import { LegionError } from "../../../base/errors.ts";
import type { Admit } from "../../../config/module-loader.ts";
import type { CliCommand, Io, Typed } from "../../kit/command.ts";
import { createAdmission } from "../../consent/ask-trust.ts";
import {
  addCodeTrustOption,
  addLegionOptions,
  addPolicyOption,
  eachTime,
  placeOf,
  projectOf,
  withSite,
} from "../../kit/target.ts";
import { startCommand } from "../../../storage/folder/paths.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { readPort } from "../../look/dashboard.ts";
import { FROM_START } from "./from-start.ts";
import type { HostOrder } from "./host.ts";
import { MAX_AGENTS, readWho, recallOwn, type Recalled } from "./selection.ts";

export const command: CliCommand = {
  define(parser) {
    addPolicyOption(addCodeTrustOption(addLegionOptions(parser)))
      .argument(
        "[n]",
        `how many agents, 1 to ${MAX_AGENTS}; they get the ids 1, 2, 3... (default: those of the last start, or 1)`,
      )
      .option(
        "--agent <name>",
        "what they are: a definition in agents/, or the path of one (default: legionnaire)",
      )
      .option("--agents <ids>", "host just these, such as 4-6, 2,5 or writer; with --team, of its agents")
      .option("--team <name>", "host a team instead: the path of a file, or a name in agents/")
      .option(
        "--from <folder>",
        "host the agents that you keep for Claude Code: .claude, or ~/.claude; start: its scribe also hears what was said before",
        eachTime,
      )
      .option("--only <ids>", "host these agents instead, such as 2,2b, each as it was last started")
      .option("--model <name>", "anthropic/<id>, openai/<id>, offline, scripted:<file> or replay:<folder>")
      .option("--task <text>", "a message from you to the first agent")
      .option("--scribe", "also host a scribe, which keeps what is said in the long-term memory main/legion")
      .option(
        "--dashboard [port]",
        "also show the legion on a page in your browser; 0: on any port that is free",
      )
      .option("--until-idle", "end when nobody has anything to do")
      .option(
        "--limits <limits>",
        "steps=100,turns=50,tokens=2000000,cost=2.50,time=8h (any of them), or none",
      )
      .option("--yes", "let agents run any command unasked, also without a sandbox")
      .option("--approvals <way>", "what has to be asked waits for you, or is denied: wait, deny")
      .option("--tick <duration>", "an agent decides once in this time; 0: as fast as it can (default: 1s)")
      .option("--heartbeat <duration>", "ask idle agents this often what there is to do (default: off)")
      .option("--allow-volatile", "run on a Redis that can lose what it was given")
      .option("--here", "the files of these agents are in this folder from now on, wherever they were")
      .option("-v, --verbose", "on a terminal: show every event, not one row for each agent")
      .option("--json", "print what happens as JSON, one object a line");
  },
  async run(typed, io) {
    const { folder, hears } = readFrom(typed);
    const chosen = readWho({ ...typed, options: { ...typed.options, from: folder } });
    const task = readTask(typed);
    const project = await projectOf(typed, io);
    await refuseBatch(project, typed, io);
    const admit = createAdmission(project, typed, io);
    const isAgain = chosen.kind === "last" || chosen.kind === "only";
    if (isAgain) await admitPlace(project, admit, { typed, io });
    const recalled: Recalled = isAgain
      ? await withSite(typed, io, (site) => recallOwn(chosen, site, { typed, io }), "refuse")
      : { who: chosen };
    const { trustLastFlags } = await import("./last-limits.ts");
    const { home, ...place } = await placeOf(project, typed, io);
    const last = await trustLastFlags(recalled.flags, project, admit, { typed, io });
    const { environment } = recalled;
    const flags = { ...readFlags(typed, last), environment, ...place };
    const { untilIdle, json, verbose, scribe: isWanted, dashboard } = typed.options;
    const scribe = isWanted ? ("listens" as const) : undefined;
    const readers = json ? "programs" : "people";
    const detail = verbose ? "all" : "brief";
    const order = {
      ...recalled,
      task,
      scribe,
      ...(dashboard !== undefined && { dashboard: readPort(dashboard) }),
      hears,
      flags,
      project,
      home,
      readers,
      detail,
      admit,
      typed,
    } as const;
    const { hostLegion } = await import("./host.ts");
    return untilIdle
      ? hostLegion({ ...order, until: "idle" }, io)
      : hostSessions({ ...order, until: "told" }, io);
  },
};

/** Its agents work in copies, which only the batch knows of. */
async function refuseBatch(project: string, typed: Typed, io: Io): Promise<void> {
  const { home } = await placeOf(project, typed, io);
  const { isBatch } = await import("../../../storage/files/batches.ts");
  if (home === undefined || !(await isBatch(home))) return;
  const way = `\`${startCommand(project, home)}\` goes on with it`;
  throw new LegionError("USAGE", `--run: that is a batch; ${way}`);
}

/** One after the other, for as long as the person wants a new one. Resolves as `hostLegion`. */
async function hostSessions(first: HostOrder, io: Io): Promise<number> {
  const { hostLegion } = await import("./host.ts");
  let order = first;
  for (;;) {
    let isOver = true;
    const code = await hostLegion({ ...order, beginAnew: () => void (isOver = false) }, io);
    if (isOver || code !== 0) return code;
    order = await inNewSession(order, io);
  }
}

/** The same agents, without their past. */
async function inNewSession(order: HostOrder, { env }: Io): Promise<HostOrder> {
  const { chooseSession } = await import("../../../storage/files/sessions.ts");
  const { name, home } = await chooseSession(order.project, "new", openPersonFolder(env));
  const before = order.home === undefined ? "" : ` --run ${basename(order.home)}`;
  const said = `in a new session, ${name}; \`legion start${before}\` goes on with the one before`;
  const flags: ConfigFlags = { ...order.flags, bus: "memory", name: undefined };
  return { ...order, home, said, flags, task: undefined, hears: undefined };
}

/** What the last start was is known where the legion is, so whether the project may say where comes first. */
async function admitPlace(
  project: string,
  admit: Admit,
  { typed, io }: { readonly typed: Typed; readonly io: Io },
): Promise<void> {
  const { home: _, ...flags } = await placeOf(project, typed, io);
  const { loadConfig, openPlaceGrants } = await import("../../../config/load-config.ts");
  const sources = { projectDir: project, env: io.env, flags };
  const config = await loadConfig(sources);
  if (openPlaceGrants(config, sources).length > 0) await admit({ modules: [], grants: config.grants });
}

/** Of `--from`, which may be said twice: a folder, and that a scribe hears what was said before. Throws USAGE. */
function readFrom({ options: { from } }: Typed): {
  readonly folder: string | undefined;
  readonly hears: HostOrder["hears"];
} {
  const all = from?.split(BETWEEN_TEXTS) ?? [];
  const folders = all.filter((one) => one !== FROM_START);
  if (folders.length > 1)
    throw new LegionError("USAGE", `--from: one folder, not ${folders.length}; leave out all others`);
  return { folder: folders[0], hears: all.includes(FROM_START) ? "everything" : undefined };
}

function readTask({ options: { task } }: Typed): string | undefined {
  if (task?.trim() === "") throw new LegionError("USAGE", "--task: expected what the first agent shall do");
  return task;
}

/** What was typed; of what was not, that which the last start was told. */
function readFlags({ options }: Typed, last: Recalled["flags"]): ConfigFlags {
  const { agent, tick, heartbeat, yes, allowVolatile, here, policy, approvals } = options;
  const { model = last?.model, limits = last?.limits } = options;
  const allowed = { commands: yes && "allow", volatile: allowVolatile && "allow", pins: here && "move" };
  return { model, limits, agent, tick, heartbeat, policy, approvals, ...allowed };
}
