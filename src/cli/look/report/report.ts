// `legion report`: one page of what was asked and done, what waits for the person, what was odd and what changed.

import { resolve } from "node:path";
import { Readable } from "node:stream";
import { LegionError, isLegionError } from "../../../base/errors.ts";
import { createRedactor } from "../../../base/redaction/redactor.ts";
import { withLegion } from "../../../control/open.ts";
import { makeReport } from "../../../legion/report/make.ts";
import { MOST_LINES, type Report } from "../../../legion/report/report.ts";
import { DEFAULT_QUESTIONS } from "../../../legion/rulebook.ts";
import { legionPaths, runName } from "../../../storage/folder/paths.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { keepLookedAt, lookedAt } from "../../../storage/folder/person/looked.ts";
import type { CliCommand, Io, Typed } from "../../kit/command.ts";
import { checkNewFile, writeNewFile } from "../../kit/new-file.ts";
import { columnsFor, oneLine, print, printJson, printWhole, warn } from "../../kit/output.ts";
import { addJsonOption, addLegionOptions, withSite, type Site } from "../../kit/target.ts";
import { paintFor } from "../../kit/terminal.ts";
import { readTime } from "../../kit/times.ts";
import { markdownOf } from "./markdown.ts";
import { sheetOf } from "./sheet.ts";

export const command: CliCommand = {
  define(parser) {
    parser
      .option(
        "--since <time>",
        "8h, 7d, 2026-03-01, or last: since the page that you saw last (default: 24h)",
      )
      .option("--md", "as Markdown, with the differences of files")
      .option("--html <file>", "as one file for a browser, which opens offline")
      .option("--all", "every line, however many there are")
      .addHelpText("after", ABOUT);
    addJsonOption(addLegionOptions(parser));
  },
  async run(typed, io) {
    const form = readForm(typed, io);
    const nowMs = Date.now();
    const since = typed.options["since"]?.trim() === LAST ? LAST : readTime(typed, "since", { nowMs });
    await withSite(typed, io, async (site) => {
      const sinceMs = await sinceOf(since, nowMs, { site, io });
      const most = typed.options["all"] ? Infinity : MOST_LINES;
      const report = await reportOf(site, { sinceMs, nowMs, most });
      const { reader: _, statuses, expireMs, ...shown } = report;
      if (form === "json") return printJson(io, shown.report);
      if (form === "html") return writePage(shown.report, { site, typed, io });
      const ways = waysIn(site, typed);
      if (form === "md") return printWhole(io, markdownOf(shown.report, ways));
      const layout = { columns: Math.min(columnsFor(io), MOST_COLUMNS), paint: paintFor(io.stdout, io.env) };
      io.stdout.write(`${sheetOf(shown.report, { ...layout, ...ways }).join("\n")}\n`);
      if (!io.stdout.isTTY) return;
      await keepPlace(report.report.until, { site, io });
      const asking = statuses.filter(({ waits }) => waits.some((wait) => wait.for === "answer"));
      const { answerQuestions } = await import("./answering.ts");
      await answerQuestions(
        asking.map(({ id }) => id),
        { site, expireMs },
        io,
      );
    });
    return 0;
  },
};

const LAST = "last";
const DAY_MS = 24 * 3_600_000;
/** Longer rows are hard to read. */
const MOST_COLUMNS = 110;

const ABOUT = `
It is folded from the logs, offline and without a model. On a terminal it asks what agents ask: y, n, or Enter for later.
Parts of more than ${MOST_LINES} lines are counted; --all lists them. A page on a terminal is what --since last goes on from.`;

type ReportForm = "text" | "md" | "html" | "json";

/** Throws USAGE. */
function readForm({ options }: Typed, { cwd }: Io): ReportForm {
  const forms = (["md", "html", "json"] as const).filter((form) => options[form] !== undefined);
  if (forms.length > 1)
    throw new LegionError("USAGE", `${forms.map((form) => `--${form}`).join(" and ")}: choose one`);
  if (options["html"] === "") throw new LegionError("USAGE", "--html: name a file");
  if (options["html"] !== undefined) checkNewFile(resolve(cwd, options["html"]));
  return forms[0] ?? "text";
}

interface ReportSite {
  readonly site: Site;
  readonly io: Io;
}

/** @param since ISO 8601, or the word for the newest page. In milliseconds since 1970; `undefined`: all that is recorded */
async function sinceOf(
  since: string | undefined,
  nowMs: number,
  { site, io }: ReportSite,
): Promise<number | undefined> {
  if (since === undefined) return nowMs - DAY_MS;
  if (since !== LAST) return Date.parse(since);
  const last = await lookedAt(openPersonFolder(io.env), nameOf(site));
  if (last === undefined) warn(io, "no page was shown before: this is all that is recorded");
  return last === undefined ? undefined : Date.parse(last);
}

/** What tells this legion from the others of the person. */
function nameOf({ project, home, backend: { nodes } }: Site): string {
  return nodes ? `${nodes.shown} ${nodes.legion}` : legionPaths(project, home).root;
}

async function keepPlace(at: string, { site, io }: ReportSite): Promise<void> {
  try {
    await keepLookedAt(openPersonFolder(io.env), nameOf(site), at);
  } catch (error) {
    if (!isLegionError(error)) throw error;
    warn(io, `--since last does not know of this page: ${oneLine(error.message)}`);
  }
}

async function reportOf(site: Site, wish: Parameters<typeof makeReport>[1]) {
  const { reader, config } = site;
  const { agents: statuses } = await withLegion(site, (legion) => legion.status());
  const expireMs = config.approvals.expireMs ?? DEFAULT_QUESTIONS.expireMs;
  const legion = { reader, statuses, expireMs };
  // A secret that is known only now may be in what was written before.
  const redactor = createRedactor(config.secrets());
  return { ...legion, report: redactor.value(await makeReport(legion, wish)) };
}

function waysIn({ project, home }: Site, { options: { since } }: Typed) {
  const run = home === undefined ? "" : ` --run ${runName(project, home)}`;
  const time = since === undefined ? "" : ` --since ${/\s/.test(since) ? JSON.stringify(since) : since}`;
  return { all: `legion report --all${time}`, wayIn: (order: string) => order + run };
}

async function writePage(
  report: Report,
  { site, typed, io }: ReportSite & { readonly typed: Typed },
): Promise<void> {
  const { savePage } = await import("../../../control/saved/page-file.ts");
  const { reportLines } = await import("../../../control/saved/report.ts");
  const redactor = createRedactor(site.config.secrets());
  const pieces = await savePage(reportLines(report), { redactor });
  const file = typed.options["html"]!;
  await writeNewFile(resolve(io.cwd, file), Readable.from(pieces, { objectMode: true }));
  print(io, `wrote ${oneLine(file)}`);
}
