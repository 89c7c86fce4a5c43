import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { CliCommand, Io } from "../kit/command.ts";
import { overview, parseArguments } from "../kit/dispatch.ts";

const OFFLINE = "offline";

export const command: CliCommand = {
  define: (parser) => void parser.argument("[topic]", `a command, or ${OFFLINE}`),
  async run({ args: [topic] }, io) {
    if (topic === undefined) io.stdout.write(overview(io.commands));
    else if (topic === OFFLINE)
      io.stdout.write(`${(await import("../../model/offline/commands.ts")).OFFLINE_HELP}\n`);
    else {
      const entry = io.commands.find(({ name }) => name === topic) ?? refuse(topic, io);
      await parseArguments(entry, (await entry.load()).command, { args: ["--help"], io });
    }
    return 0;
  },
};

function refuse(topic: string, { commands }: Io): never {
  const topics = [OFFLINE, ...commands.map(({ name }) => name)];
  const [meant] = nearest(topic, topics);
  const advice = meant ? `did you mean "${meant}"?` : `topics are ${topics.join(", ")}`;
  throw new LegionError("USAGE", `there is no help on ${JSON.stringify(topic.slice(0, 100))}; ${advice}`);
}
