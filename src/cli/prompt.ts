import type { CliCommand } from "./command.ts";
import { printJson, printWhole, readNumber } from "./output.ts";
import { checkAgent, offerDir, offerJson, readerOf } from "./project.ts";
import { promptText } from "./prompt-text.ts";

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("<id>", "the agent")
      .option("--at <number>", "what was shown for this decision; without it, what would be shown now");
    offerJson(offerDir(parser));
  },
  async run(typed, io) {
    const at = readNumber(typed, "at");
    const reader = await readerOf(typed, io);
    const id = await checkAgent(reader, typed.args[0]!);
    const { promptAt } = await import("../past-prompt.ts");
    const { nextPrompt } = await import("./next-prompt.ts");
    const request = at === undefined ? await nextPrompt(reader, id, io) : await promptAt(reader, id, at);
    if (typed.options["json"]) printJson(io, request);
    else printWhole(io, promptText(request));
    return 0;
  },
};
