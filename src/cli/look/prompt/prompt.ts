import { remarkForeign } from "../../consent/adoption.ts";
import { createAdmission } from "../../consent/ask-trust.ts";
import type { CliCommand } from "../../kit/command.ts";
import { printJson, printWhole, readNumber } from "../../kit/output.ts";
import {
  checkAgent,
  addJsonOption,
  addLegionOptions,
  addCodeTrustOption,
  withSite,
} from "../../kit/target.ts";
import { promptText } from "./prompt-text.ts";

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("<id>", "the agent")
      .option("--at <number>", "what was shown for this decision; without it, what would be shown now");
    addCodeTrustOption(addJsonOption(addLegionOptions(parser)));
  },
  async run(typed, io) {
    const at = readNumber(typed, "at");
    const { promptAt } = await import("../../../legion/replay/past-prompt.ts");
    const { nextPrompt } = await import("./next-prompt.ts");
    const request = await withSite(typed, io, async (site) => {
      const id = await checkAgent(site, typed.args[0]!);
      await remarkForeign(site.reader, id, io);
      const today = { env: io.env, admit: createAdmission(site.project, typed, io) };
      return at === undefined ? nextPrompt(site, id, today) : promptAt(site.reader, id, at);
    });
    if (typed.options["json"]) printJson(io, request);
    else printWhole(io, promptText(request));
    return 0;
  },
};
