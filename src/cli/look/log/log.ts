import { LegionError } from "../../../base/errors.ts";
import type { Event } from "../../../domain/event/event.ts";
import { CONTROL, displayName } from "../../../domain/message/message.ts";
import { remarkForeign } from "../../consent/adoption.ts";
import { branchLines, branchesIn } from "./branches.ts";
import type { CliCommand, Io, Typed } from "../../kit/command.ts";
import { createEventLines } from "./event-line.ts";
import { followEvents } from "../../kit/follow.ts";
import { followAll, mergedEvents } from "./follow-all.ts";
import { TRAJECTORY_FORMATS } from "../../../past/trajectory/format.ts";
import { printTrajectory, readFormat } from "./trajectory.ts";
import { columnsFor, print, printJson, readNumber } from "../../kit/output.ts";
import {
  checkAgent,
  checkTargets,
  addJsonOption,
  addLegionOptions,
  withSite,
  type Site,
} from "../../kit/target.ts";

/** A line for other programs is cut, too, but later. */
const PIPE_COLUMNS = 200;

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("<ids>", "the agent, several such as 2,3, or all; 0 is you")
      .argument(
        "[event]",
        "only this event, with all of its text, or, with --json, all that it says: what a receipt such as #2.417 is about",
      )
      .option("-f, --follow", "go on with what happens from now on, until Ctrl-C")
      .option("--from <number>", "begin with this event")
      .option("--format <format>", `print a whole trajectory: ${TRAJECTORY_FORMATS.join(", ")}`)
      .option("--tree", "show its branches instead: what `legion fork` began, and what it left");
    addJsonOption(addLegionOptions(parser));
  },
  async run(typed, io) {
    const format = readFormat(typed);
    const from = readNumber(typed, "from") ?? 1;
    await withSite(typed, io, async (site) => {
      const [ids = "", only] = typed.args;
      if (only !== undefined) return printOne(typed, io, site);
      if (ids.trim() === "all" || ids.includes(",")) return printSeveral(typed, io, site);
      const id = ids === CONTROL ? CONTROL : await checkAgent(site, ids);
      await remarkForeign(site.reader, id, io);
      if (format) return printTrajectory(io, site, id, format);
      if (typed.options["tree"]) return printTree(typed, io, site.reader.events(id));
      const events = typed.options["follow"]
        ? followEvents(site, id, from, io)
        : site.reader.events(id, from);
      return printEvents(typed, io, events);
    });
    return 0;
  },
};

/** Throws USAGE for what is no event of one agent. */
async function printOne({ args, options }: Typed, io: Io, site: Site): Promise<void> {
  const [name = "", written = ""] = args;
  const other = ["follow", "from", "format", "tree"].find((option) => options[option] !== undefined);
  if (other !== undefined)
    throw new LegionError("USAGE", `--${other} is about a whole log; leave out ${written}`);
  const id = name === CONTROL ? CONTROL : await checkAgent(site, name);
  const seq = /^[1-9]\d{0,11}$/.test(written) ? Number(written) : 0;
  await remarkForeign(site.reader, id, io);
  for await (const event of seq === 0 ? [] : site.reader.events(id, seq)) {
    if (event.seq !== seq) break;
    if (options["json"]) return printJson(io, event);
    print(io, createEventLines(Infinity)({ ...event, ...("content" in event && { content: "" }) }));
    return "content" in event ? print(io, event.content.replace(/^/gm, "  ")) : undefined;
  }
  const last = await site.reader.last(id);
  throw new LegionError(
    "USAGE",
    `there is no event ${written} of ${displayName(id)}; its log ends at ${last}`,
  );
}

async function printEvents({ options }: Typed, io: Io, events: AsyncIterable<Event>): Promise<void> {
  const lineOf = createEventLines(io.stdout.isTTY ? columnsFor(io) : PIPE_COLUMNS);
  for await (const event of events) {
    if (options["json"]) printJson(io, event);
    else print(io, lineOf(event));
  }
}

/** Of each event is said whose it is. */
async function printSeveral({ args, options }: Typed, io: Io, site: Site): Promise<void> {
  const other = ["tree", "from"].find((name) => options[name] !== undefined);
  if (other !== undefined) throw new LegionError("USAGE", `--${other} is about one agent; name just one`);
  const ids = args[0]!.split(",").map((id) => id.trim());
  const agents = ids.filter((id) => id !== CONTROL).join();
  const targets = agents === "" ? [] : await checkTargets(site, agents);
  const chosen = targets === "all" ? targets : [...(ids.includes(CONTROL) ? [CONTROL] : []), ...targets];
  const known = chosen === "all" ? await site.reader.known() : chosen;
  const events = options["follow"] ? followAll(site, chosen, io) : mergedEvents(site, known);
  const width = Math.max(...known.map((id) => displayName(id).length));
  const lineOf = createEventLines(io.stdout.isTTY ? columnsFor(io) : PIPE_COLUMNS);
  for await (const { agent, event } of events) {
    if (options["json"]) printJson(io, { agent, ...event });
    else print(io, lineOf(event, `${displayName(agent).padEnd(width)} `));
  }
}

async function printTree({ options }: Typed, io: Io, events: AsyncIterable<Event>): Promise<void> {
  const other = ["follow", "from"].find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw new LegionError("USAGE", `--tree shows whole branches; leave out --${other}`);
  const branches = await branchesIn(events);
  if (options["json"]) for (const branch of branches) printJson(io, branch);
  else for (const line of branchLines(branches, columnsFor(io))) print(io, line);
}
