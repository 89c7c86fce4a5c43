import { parseMessageId } from "../message.ts";
import { reach } from "../server/reach.ts";
import type { CliCommand } from "./command.ts";
import { namesOf, print } from "./output.ts";
import { checkTargets, offerLegion, withSite } from "./project.ts";

/** The model reads it, too. */
const STOP = "Stop what you are doing at once, leave it as it is, and wait for mail.";

export const command: CliCommand = {
  define: (parser) =>
    void offerLegion(parser.argument("<ids>", "an agent such as 2, several such as 2,3, or all")),
  async run(typed, io) {
    const ids = await withSite(typed, io, async (site) => {
      const targets = await checkTargets(site, typed.args[0]!);
      return reach(site, (legion) => legion.say({ targets, content: STOP, delivery: "abort" }));
    });
    print(io, `${namesOf(ids.map((id) => parseMessageId(id).to))}: told to stop at once.`);
    return 0;
  },
};
