import { notes } from "../../../modules/notes.ts";
import { LegionError } from "../../base/errors.ts";
import { displayName } from "../../domain/message/message.ts";
import { nearest } from "../../base/text/nearest.ts";
import { keysOf, valueOf } from "../../past/state.ts";
import { remarkForeign } from "../consent/adoption.ts";
import type { CliCommand } from "../kit/command.ts";
import { oneLine, print, printJson, printWhole } from "../kit/output.ts";
import { checkAgent, addJsonOption, addLegionOptions, withSite } from "../kit/target.ts";

export const command: CliCommand = {
  define(parser) {
    parser.argument("<id>", "the agent").argument("[title...]", "show this note instead of all titles");
    addJsonOption(addLegionOptions(parser));
  },
  async run(typed, io) {
    const id = typed.args[0]!;
    const state = await withSite(typed, io, async (site) => {
      await remarkForeign(site.reader, await checkAgent(site, id), io);
      return site.reader.state(id, [notes]);
    });
    const titles = keysOf(state, notes.name);
    const wanted = typed.args.slice(1).join(" ");
    if (wanted !== "") {
      const title = findTitle(wanted, titles, displayName(id));
      const content = String(valueOf(state, notes.name, title));
      if (typed.options["json"]) printJson(io, { title, content });
      else printWhole(io, content);
    } else if (typed.options["json"]) for (const title of titles) printJson(io, { title });
    else print(io, titles.map(oneLine).join("\n") || `${displayName(id)} has no notes.`);
    return 0;
  },
};

function findTitle(wanted: string, titles: readonly string[], name: string): string {
  if (titles.includes(wanted)) return wanted;
  const same = titles.filter((title) => title.toLowerCase() === wanted.toLowerCase());
  if (same.length === 1) return same[0]!;
  const [meant] = nearest(wanted, titles);
  const advice =
    meant === undefined ? "without a title all are listed" : `did you mean ${JSON.stringify(meant)}?`;
  throw new LegionError("USAGE", `${name} has no note ${JSON.stringify(wanted)}; ${advice}`);
}
