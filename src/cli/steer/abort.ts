import { parseMessageId } from "../../domain/message.ts";
import { withLegion } from "../../control/open.ts";
import type { CliCommand } from "../kit/command.ts";
import { namesOf, print } from "../kit/output.ts";
import { checkTargets, addLegionOptions, withSite } from "../kit/target.ts";

/** The model reads it, too. */
const STOP = "Stop what you are doing at once, leave it as it is, and wait for mail.";

export const command: CliCommand = {
  define: (parser) =>
    void addLegionOptions(parser.argument("<ids>", "an agent such as 2, several such as 2,3, or all")),
  async run(typed, io) {
    const { named, told } = await withSite(typed, io, async (site) => {
      const targets = await checkTargets(site, typed.args[0]!);
      const ids = await withLegion(site, (legion) =>
        legion.say({ targets, content: STOP, delivery: "abort" }),
      );
      return {
        named: targets === "all" ? await site.reader.known() : targets,
        told: ids.map((id) => parseMessageId(id).to),
      };
    });
    const idle = named.filter((id) => !told.includes(id));
    if (told.length > 0) print(io, `${namesOf(told)}: told to stop at once.`);
    if (idle.length > 0) print(io, `${namesOf(idle)}: not at work, so there was nothing to abort.`);
    return 0;
  },
};
