import { CONTROL } from "../message.ts";
import type { CliCommand } from "./command.ts";
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
      .option("--from <number>", "begin with this event");
    offerJson(offerDir(parser));
  },
  async run(typed, io) {
    const { json, follow } = typed.options;
    const from = readNumber(typed, "from") ?? 1;
    const reader = await readerOf(typed, io);
    const id = typed.args[0] === CONTROL ? CONTROL : await checkAgent(reader, typed.args[0]!);
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
