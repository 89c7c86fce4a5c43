import { LegionError } from "../errors.ts";
import type { Event } from "../event.ts";
import { CONTROL } from "../message.ts";
import { branchesIn } from "../tree.ts";
import { branchLines } from "./branch-lines.ts";
import type { CliCommand, Io, Typed } from "./command.ts";
import { createEventLines } from "./event-line.ts";
import { followEvents } from "./follow.ts";
import { columnsFor, print, printJson, readNumber } from "./output.ts";
import { checkAgent, offerDir, offerJson, readerOf } from "./project.ts";

/** A line for other programs is cut, too, but later. */
const PIPE_COLUMNS = 200;

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("<id>", "the agent; 0 is you")
      .option("-f, --follow", "go on with what happens from now on, until Ctrl-C")
      .option("--from <number>", "begin with this event")
      .option("--tree", "show its branches instead: what `legion fork` began, and what it left");
    offerJson(offerDir(parser));
  },
  async run(typed, io) {
    const { json, follow } = typed.options;
    const from = readNumber(typed, "from") ?? 1;
    const reader = await readerOf(typed, io);
    const id = typed.args[0] === CONTROL ? CONTROL : await checkAgent(reader, typed.args[0]!);
    if (typed.options["tree"]) {
      await printTree(typed, io, reader.events(id));
      return 0;
    }
    const { signal } = new AbortController();
    const lineOf = createEventLines(io.stdout.isTTY ? columnsFor(io) : PIPE_COLUMNS);
    const events = follow ? followEvents(reader, id, { from, signal }) : reader.events(id, from);
    for await (const event of events) {
      if (json) printJson(io, event);
      else print(io, lineOf(event));
    }
    return 0;
  },
};

async function printTree({ options }: Typed, io: Io, events: AsyncIterable<Event>): Promise<void> {
  const other = ["follow", "from"].find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw new LegionError("USAGE", `--tree shows whole branches; leave out --${other}`);
  const branches = await branchesIn(events);
  if (options["json"]) for (const branch of branches) printJson(io, branch);
  else for (const line of branchLines(branches, columnsFor(io))) print(io, line);
}
