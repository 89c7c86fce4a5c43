import { goals } from "../../../modules/goals.ts";
import { keysOf, valueOf } from "../../past/state.ts";
import { displayName } from "../../domain/message/message.ts";
import { remarkForeign } from "../consent/adoption.ts";
import type { CliCommand } from "../kit/command.ts";
import { print, printJson } from "../kit/output.ts";
import { checkAgent, addJsonOption, addLegionOptions, withSite } from "../kit/target.ts";

export const command: CliCommand = {
  define: (parser) => void addJsonOption(addLegionOptions(parser.argument("<id>", "the agent"))),
  async run(typed, io) {
    const id = typed.args[0]!;
    const state = await withSite(typed, io, async (site) => {
      await remarkForeign(site.reader, await checkAgent(site, id), io);
      return site.reader.state(id, [goals]);
    });
    const values = keysOf(state, goals.name).map((key) => [key, valueOf(state, goals.name, key)]);
    const file: Readonly<Record<string, unknown>> = { goals: [], ...Object.fromEntries(values) };
    if (typed.options["json"]) printJson(io, file);
    else print(io, listGoals(file["goals"]) || `${displayName(id)} has no goals.`);
    return 0;
  },
};

/** People edit the file: what is no goal is shown as it is. */
function listGoals(list: unknown): string {
  if (!Array.isArray(list)) return "";
  const width = String(list.length).length;
  return list
    .map((goal: unknown, index) => `${String(index + 1).padStart(width)} ${describe(goal)}`)
    .join("\n");
}

function describe(goal: unknown): string {
  const { text, complete } =
    typeof goal === "object" && goal !== null ? { text: "", complete: false, ...goal } : {};
  if (typeof text !== "string") return `[?] ${JSON.stringify(goal)}`;
  return `[${complete === true ? "x" : " "}] ${text.replace(/\s+/g, " ")}`;
}
