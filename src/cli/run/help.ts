import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { CliCommand } from "../kit/command.ts";
import { COMMANDS, overview } from "../commands.ts";
import { parseArguments } from "../kit/parse.ts";

const OFFLINE = "offline";

export const command: CliCommand = {
  define: (parser) => void parser.argument("[topic]", `a command, or ${OFFLINE}`),
  async run({ args: [topic] }, io) {
    if (topic === undefined) io.stdout.write(overview());
    else if (topic === OFFLINE)
      io.stdout.write(`${(await import("../../model/offline/commands.ts")).OFFLINE_HELP}\n`);
    else {
      const entry = COMMANDS.find(({ name }) => name === topic) ?? refuse(topic);
      await parseArguments(entry, (await entry.load()).command, { args: ["--help"], io });
    }
    return 0;
  },
};

function refuse(topic: string): never {
  const topics = [OFFLINE, ...COMMANDS.map(({ name }) => name)];
  const [meant] = nearest(topic, topics);
  const advice = meant ? `did you mean "${meant}"?` : `topics are ${topics.join(", ")}`;
  throw new LegionError("USAGE", `there is no help on ${JSON.stringify(topic.slice(0, 100))}; ${advice}`);
}
