// `legion undo`: what agents did to files for a message, or in one event, taken back.

import { count } from "../../base/text/wording.ts";
import { siteOf } from "../../control/api/undo-here.ts";
import { withLegion } from "../../control/open.ts";
import type { UndoReport } from "../../legion/undo/report-schema.ts";
import { previewUndo } from "../../legion/undo/undo.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
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
      else if (answer.outcome === "soon") print(io, aboutRun(later(answer.waitsFor), site));
      else print(io, aboutRun([...linesFor(answer)].join("\n"), site));
    });
    return 0;
  },
};

async function preview(what: string, site: Site): Promise<UndoReport> {
  return previewUndo(what, await siteOf(site));
}

function later(agents: readonly AgentId[]): string {
  const whose = agents.length === 0 ? "an undo before it has" : `the calls of ${namesOf(agents)} have`;
  return `It happens once ${whose} ended; \`legion log 0\` shows it then.`;
}

const MAX_EVENTS = 10;

function* linesFor({ outcome, ...report }: UndoReport & { outcome: "planned" | "done" }): Generator<string> {
  const { event, done, left, already, shared, beyond, foreign } = report;
  const changes = count(done.length, "change");
  if (done.length === 0)
    yield outcome === "planned" ? "Nothing would be taken back." : "Nothing was taken back.";
  else if (outcome === "planned") yield `Would take back ${changes}:`;
  else
    yield `Took back ${changes}; \`legion undo 0.${event}\` brings ${done.length === 1 ? "it" : "them"} back:`;
  for (const { path, from, to } of done) yield `  ${oneLine(path)}: ${oneLine(from)} -> ${oneLine(to)}`;
  if (already > 0) yield `As before already: ${count(already, "path")}.`;
  if (left.length > 0) yield "Stays as it is:";
  for (const one of left) {
    yield `  ${oneLine(one.path)}${one.event === null ? "" : ` (${one.event})`}: ${oneLine(one.why)}`;
    yield `    before: ${oneLine(one.before)}`;
    yield `    as it was left: ${oneLine(one.after)}`;
    yield `    now: ${oneLine(one.now)}`;
  }
  if (shared.length > 0)
    yield "May have been done for something or by somebody else as well, and stays; `legion undo <event>` takes one back:";
  for (const { event: seq, action, path } of shared)
    yield `  ${seq} ${oneLine(action)}${path === undefined ? "" : ` ${oneLine(path)}`}`;
  for (const id of foreign)
    yield `Nothing that ${displayName(id)} did: it was not written on your machines; \`legion start --trust\` takes it on.`;
  if (beyond.length > 0) yield "Cannot be taken back:";
  for (const { what, events } of beyond) {
    const more = events.length - MAX_EVENTS;
    yield `  ${oneLine(what)}: ${events.slice(0, MAX_EVENTS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  }
}
