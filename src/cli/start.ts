import type { ConfigFlags } from "../config.ts";
import { LegionError } from "../errors.ts";
import { createReader } from "../reader.ts";
import type { Remembered, Who } from "../roster.ts";
import type { CliCommand, Typed } from "./command.ts";
import { checkTargets, offerDir, projectOf } from "./project.ts";

const MAX_AGENTS = 10_000;

export const command: CliCommand = {
  define(parser) {
    offerDir(parser)
      .argument("[n]", `how many agents, 1 to ${MAX_AGENTS}; they get the ids 1, 2, 3... (default: 1)`)
      .option(
        "--agent <name>",
        "what they are: a definition in agents/, or the path of one (default: legionnaire)",
      )
      .option("--team <name>", "host a team instead: the path of a file, or a name in agents/")
      .option("--only <ids>", "host these agents instead, such as 2,2b, each as it was last started")
      .option("--model <name>", "anthropic/<id>, openai/<id>, offline, scripted:<file> or replay:<folder>")
      .option("--task <text>", "a message from you to the first agent")
      .option("--until-idle", "end when nobody has anything to do")
      .option("--limits <limits>", "steps=100,tokens=2000000,cost=2.50,time=8h (any of them), or none")
      .option("--yes", "let agents run commands on this machine")
      .option("--tick <duration>", "an agent decides once in this time; 0: as fast as it can (default: 1s)")
      .option("--heartbeat <duration>", "ask idle agents this often what there is to do (default: off)")
      .option("--bus <url>", "what carries the messages (default: memory)")
      .option("--json", "print what happens as JSON, one object a line");
  },
  async run(typed, io) {
    const chosen = readWho(typed);
    const task = readTask(typed);
    const flags = readFlags(typed);
    const project = await projectOf(typed, io);
    const who = typeof chosen === "string" ? await remember(chosen, project) : chosen;
    const { hostLegion } = await import("./host.ts");
    const { untilIdle, json } = typed.options;
    const until = untilIdle ? "idle" : "told";
    return hostLegion({ who, task, flags, project, until, readers: json ? "programs" : "people" }, io);
  },
};

/** Who shall be there; a text names agents that are there already. Throws USAGE. */
function readWho({ args: [count], options: { team, agent, only } }: Typed): Who | string {
  if (typeof only === "string") {
    if (count === undefined && team === undefined && agent === undefined) return only;
    throw new LegionError("USAGE", "--only says which agents; leave out the number, --team and --agent");
  }
  if (typeof team !== "string") return { kind: "count", count: readCount(count ?? "1") };
  if (agent !== undefined)
    throw new LegionError("USAGE", "--team says who its agents are; leave out --agent");
  if (count !== undefined)
    throw new LegionError("USAGE", "--team says how many agents there are; leave out the number");
  return { kind: "team", team };
}

async function remember(only: string, project: string): Promise<Who> {
  const reader = createReader(project);
  const ids = await checkTargets(reader, only);
  const agents: Remembered[] = [];
  for (const id of ids === "all" ? await reader.known() : ids) {
    const { definition, brief, modules, model } = await reader.record(id);
    agents.push({
      id,
      ...(definition !== undefined && { agent: definition }),
      ...(brief !== undefined && { brief }),
      ...(modules && { modules }),
      ...(model !== undefined && { model, modelBy: "its last start" }),
    });
  }
  return { kind: "again", agents };
}

function readCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_AGENTS) return count;
  throw new LegionError(
    "USAGE",
    `expected how many agents, from 1 to ${MAX_AGENTS}, not ${JSON.stringify(text)}`,
  );
}

function readTask({ options: { task } }: Typed): string | undefined {
  if (typeof task !== "string") return undefined;
  if (task.trim() === "") throw new LegionError("USAGE", "--task: expected what the first agent shall do");
  return task;
}

function readFlags({ options: { model, agent, bus, tick, heartbeat, limits, yes } }: Typed): ConfigFlags {
  const typed = { model, agent, bus, tick, heartbeat, limits, commands: yes ? "allow" : undefined };
  return Object.fromEntries(Object.entries(typed).filter(([, text]) => typeof text === "string"));
}
