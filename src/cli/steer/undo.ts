// `legion undo`: what agents did to files for a message, or in one event, taken back.

import { siteOf } from "../../control/api/undo-here.ts";
import { withLegion } from "../../control/open.ts";
import type { UndoReport } from "../../domain/undo/report.ts";
import { previewUndo } from "../../legion/undo/undo.ts";
import { undoLater, undoWords } from "../../domain/undo/words.ts";
import type { CliCommand } from "../kit/command.ts";
import { namesOf, oneLine, print, printJson } from "../kit/output.ts";
import { aboutRun, addJsonOption, addLegionOptions, withSite, type Site } from "../kit/target.ts";

const ABOUT = `
A message is named by its id, such as "0>2#1": the first one of a piece of work (\`legion ps --by cause\` lists them), or a later one. An event
is a result, such as 2.417 (\`legion log 2\`), or an undo, such as 0.12. Only files that still are as the agent left them are put back;
what is replaced is kept.`;

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("<what>", 'a message, such as "0>2#1", or an event, such as 2.417')
      .option("--dry-run", "say what would be taken back, and do nothing")
      .addHelpText("after", ABOUT);
    addJsonOption(addLegionOptions(parser));
  },
  async run({ args: [what = ""], options, ...rest }, io) {
    await withSite({ args: [what], options, ...rest }, io, async (site) => {
      const answer = options["dryRun"]
        ? ({ outcome: "planned", ...(await preview(what, site)) } as const)
        : await withLegion(site, (legion) => legion.undo({ what }));
      if (options["json"]) printJson(io, answer);
      else if (answer.outcome === "soon") print(io, aboutRun(undoLater(namesOf(answer.waitsFor)), site));
      else print(io, aboutRun([...linesFor(answer)].join("\n"), site));
    });
    return 0;
  },
};

async function preview(what: string, site: Site): Promise<UndoReport> {
  return previewUndo(what, await siteOf(site));
}

function* linesFor({
  outcome,
  ...report
}: UndoReport & { readonly outcome: "planned" | "done" }): Generator<string> {
  for (const { head, lines } of undoWords(report, outcome)) {
    yield oneLine(head);
    for (const { text, details = [] } of lines) {
      yield `  ${oneLine(text)}`;
      for (const detail of details) yield `    ${oneLine(detail)}`;
    }
  }
}
