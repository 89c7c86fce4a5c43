import type { Call } from "../../../domain/event/event.ts";
import type { ModelRequest, ToolSpec, Turn } from "../../../domain/model.ts";
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
    const { nextPrompt } = await import("../../../legion/prompt/next-prompt.ts");
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

/** Everything that is in it, in the order in which the model reads it. */
function promptText({ system, tools, turns, pinned }: ModelRequest): string {
  return [
    part("SYSTEM", system),
    ...(tools.length > 0 ? [part("TOOLS", tools.map(describeTool).join("\n\n"))] : []),
    ...turns.map(describeTurn),
    ...(pinned === "" ? [] : [part("USER (pinned messages)", pinned)]),
  ].join("\n\n");
}

function part(title: string, text: string): string {
  return `=== ${title} ===\n${text}`;
}

function describeTool({ name, description, parameters }: ToolSpec): string {
  return `${name}: ${description}\n${JSON.stringify(parameters)}`;
}

function describeTurn(turn: Turn): string {
  if (turn.role === "user") return part("USER", turn.text);
  if (turn.role === "assistant") {
    return part(
      "ASSISTANT",
      [turn.text, ...turn.calls.map(describeCall)].filter((text) => text !== "").join("\n"),
    );
  }
  const results = turn.results.map(({ call, content, isError }) => {
    return `[${call}${isError ? ", error" : ""}] ${content}`;
  });
  return part("RESULTS", results.join("\n"));
}

function describeCall({ id, action, parameters }: Call): string {
  return `[${id}] ${action} ${JSON.stringify(parameters)}`;
}
