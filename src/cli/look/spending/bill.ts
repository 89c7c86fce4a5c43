// `legion bill`: what it all came to, by whom or what, and what of it brought nothing.

import { displayName } from "../../../domain/message/message.ts";
import { LegionError } from "../../../base/errors.ts";
import { BILL_WAYS, billBy, type Bill, type BillWay } from "../../../legion/spending/bill.ts";
import type { CliCommand, Io, Typed } from "../../kit/command.ts";
import { addArchiveOption, withReadSite } from "../archive.ts";
import { oneLine, print, printJson, warn } from "../../kit/output.ts";
import { aboutRun, addJsonOption, addLegionOptions, type Site } from "../../kit/target.ts";
import { tableRows, tableSpace, type TableSpace } from "../table.ts";
import { csvOf, rowsOf, type BillRow } from "./rows.ts";
import { COLUMNS, wasteLines } from "./sheet.ts";

export const command: CliCommand = {
  define(parser) {
    parser.option("--by <what>", "root (what began the work; the default), agent, model or action");
    parser.option("--csv", "as comma-separated values");
    parser.addHelpText("after", ABOUT);
    addJsonOption(addArchiveOption(addLegionOptions(parser)));
  },
  async run(typed, io) {
    const way = readWay(typed);
    await withReadSite(typed, io, async (site) =>
      show(await billBy(way, site.reader), way, { site, typed, io }),
    );
    return 0;
  },
};

const ABOUT = `
The lines add up to what the agents are charged; what is reserved for calls without an answer is a line of its own. A root is
the message that began a piece of work. What brought nothing is part of the sum, each token once; estimates are in no sum.`;

/** Throws USAGE. */
function readWay({ options: { by = "root", csv, json } }: Typed): BillWay {
  const way = BILL_WAYS.find((known) => known === by);
  if (!way)
    throw new LegionError("USAGE", `--by: expected ${BILL_WAYS.join(", ")}, not ${JSON.stringify(by)}`);
  if (csv && json) throw new LegionError("USAGE", "--csv and --json are two ways to print it; choose one");
  return way;
}

interface Showing {
  readonly site: Site;
  readonly typed: Typed;
  readonly io: Io;
}

function show(bill: Bill, way: BillWay, { site, typed: { options }, io }: Showing): void {
  for (const { agent, reason } of bill.unread)
    warn(io, `what ${displayName(agent)} spent is not counted: ${oneLine(reason)}`);
  const rows = rowsOf(bill, way);
  if (options["json"]) for (const row of rows) printJson(io, row);
  else if (options["csv"]) print(io, csvOf(rows));
  else if (bill.lines.length === 0 && bill.unanswered.tokens === 0)
    print(io, aboutRun("Nobody has spent anything yet; `legion send` gives agents something to do.", site));
  else {
    const space = tableSpace(io);
    print(io, [...table(rows, space), ...wasteLines(bill, space)].join("\n"));
  }
}

function table(rows: readonly BillRow[], space: TableSpace): readonly string[] {
  const shown = rows.filter(
    ({ kind, tokens }) => kind !== "waste" && kind !== "estimate" && (kind !== "unanswered" || tokens > 0),
  );
  const columns = COLUMNS.filter(({ title }) => title !== "MESSAGE" || shown.some(({ text }) => text));
  return tableRows(shown, columns, space);
}
