import { parseMessageId } from "../message.ts";
import { LegionError } from "../errors.ts";
import { findNode } from "../server/control-client.ts";
import type { CliCommand } from "./command.ts";
import { namesOf, print } from "./output.ts";
import { checkTargets, offerDir, readerOf } from "./project.ts";

/** The model reads it, too. */
const STOP = "Stop what you are doing at once, leave it as it is, and wait for mail.";

export const command: CliCommand = {
  define: (parser) =>
    void offerDir(parser.argument("<ids>", "an agent such as 2, several such as 2,3, or all")),
  async run(typed, io) {
    const reader = await readerOf(typed, io);
    const targets = await checkTargets(reader, typed.args[0]!);
    // Left in a mailbox, it would stop what the agent does at some later start.
    const node = await findNode(reader.paths.socket);
    if (!node) throw new LegionError("REFUSED", "no node runs here: there is nothing to abort");
    const ids = await node.say({ targets, content: STOP, delivery: "abort" });
    print(io, `${namesOf(ids.map((id) => parseMessageId(id).to))}: told to stop at once.`);
    return 0;
  },
};
