// `legion report`: one page of what was asked and done, what waits for the person, what was odd and what changed.

import { resolve } from "node:path";
import { Readable } from "node:stream";
import { LegionError, isLegionError } from "../../../base/errors.ts";
import { createRedactor } from "../../../base/redaction/redactor.ts";
import { withLegion } from "../../../control/open.ts";
import { makeReport, type ReportedLegion } from "../../../legion/report/make.ts";
import { MOST_LINES, type Report } from "../../../legion/report/report.ts";
import { DEFAULT_QUESTIONS } from "../../../legion/rulebook.ts";
import { legionPaths, runName } from "../../../storage/folder/paths.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { keepLookedAt, lookedAt } from "../../../storage/folder/person/looked.ts";
import type { CliCommand, Io, Typed } from "../../kit/command.ts";
import { addArchiveOption, withReadSite, type ReadSite } from "../archive.ts";
import { checkNewFile, writeNewFile } from "../../kit/new-file.ts";
import { columnsFor, oneLine, print, printJson, printWhole, warn } from "../../kit/output.ts";
import { addJsonOption, addLegionOptions, type Site } from "../../kit/target.ts";
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
    addJsonOption(addArchiveOption(addLegionOptions(parser)));
  },
  async run(typed, io) {
    const form = readForm(typed, io);
    const nowMs = Date.now();
    const since = typed.options["since"]?.trim() === LAST ? LAST : readTime(typed, "since", { nowMs });
    const most = typed.options["all"] ? Infinity : MOST_LINES;
    await withReadSite(typed, io, async (site) => {
      const told: AskedReport = { site, typed, io };
      const sinceMs = await sinceOf(since, nowMs, told);
      const legion = await legionOf(told);
      const redactor = createRedactor(site.config.secrets());
      // A secret that is known only now may be in what was written before.
      const report = redactor.value(await makeReport(legion, { sinceMs, nowMs, most }));
      if (form === "json") return printJson(io, report);
      if (form === "html") return writePage(report, told);
      const ways = waysIn(told);
      if (form === "md") return printWhole(io, markdownOf(report, ways));
      const layout = {
        columns: Math.min(columnsFor(io), MOST_COLUMNS),
        paint: paintFor(io.stdout, io.env),
      };
      io.stdout.write(`${sheetOf(report, { ...layout, ...ways }).join("\n")}\n`);
      if (io.stdout.isTTY && site.archive === undefined) await goOn(report, legion, told);
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

interface AskedReport {
  readonly site: ReadSite;
  readonly typed: Typed;
  readonly io: Io;
}

/** @param since ISO 8601, or the word for the newest page. In milliseconds since 1970; `undefined`: all that is recorded */
async function sinceOf(
  since: string | undefined,
  nowMs: number,
  { site, io }: AskedReport,
): Promise<number | undefined> {
  const isArchive = site.archive !== undefined;
  if (since === undefined) return isArchive ? undefined : nowMs - DAY_MS;
  if (since !== LAST) return Date.parse(since);
  if (isArchive)
    throw new LegionError("USAGE", "--since last goes on from a page of a legion, not of an archive");
  const last = await lookedAt(openPersonFolder(io.env), nameOf(site));
  if (last === undefined) warn(io, "no page was shown before: this is all that is recorded");
  return last === undefined ? undefined : Date.parse(last);
}

async function legionOf({ site }: AskedReport): Promise<ReportedLegion> {
  const { reader, config, archive } = site;
  const expireMs = config.approvals.expireMs ?? DEFAULT_QUESTIONS.expireMs;
  if (archive === undefined) {
    const { agents: statuses } = await withLegion(site, (legion) => legion.status());
    return { reader, statuses, expireMs };
  }
  const { storedStatuses } = await import("../../../legion/status.ts");
  return { reader, statuses: [...(await storedStatuses(await reader.known(), reader)).values()], expireMs };
}

/** Somebody saw the page: the next one goes on from there, and what is asked can be answered. */
async function goOn(
  report: Report,
  { statuses, expireMs }: ReportedLegion,
  { site, io }: AskedReport,
): Promise<void> {
  await keepPlace(report.until, { site, io });
  const asking = statuses.filter(({ waits }) => waits.some((wait) => wait.for === "answer"));
  const { answerQuestions } = await import("./answering.ts");
  await answerQuestions(
    asking.map(({ id }) => id),
    { site, expireMs },
    io,
  );
}

/** What tells this legion from the others of the person. */
function nameOf({ project, home, backend: { nodes } }: Site): string {
  return nodes ? `${nodes.shown} ${nodes.legion}` : legionPaths(project, home).root;
}

async function keepPlace(at: string, { site, io }: Pick<AskedReport, "site" | "io">): Promise<void> {
  try {
    await keepLookedAt(openPersonFolder(io.env), nameOf(site), at);
  } catch (error) {
    if (!isLegionError(error)) throw error;
    warn(io, `--since last does not know of this page: ${oneLine(error.message)}`);
  }
}

function waysIn({ site: { project, home, archive }, typed: { options } }: AskedReport) {
  const { since } = options;
  const run = home === undefined ? "" : ` --run ${runName(project, home)}`;
  const time = since === undefined ? "" : ` --since ${inShell(since)}`;
  if (archive === undefined)
    return { all: `legion report --all${time}`, wayIn: (order: string) => order + run };
  const file = inShell(archive);
  // It is taken in before anything is done with it.
  const wayIn = (order: string): string => `legion import ${file} && ${order}`;
  return { all: `legion report --archive ${file} --all${time}`, wayIn };
}

function inShell(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

async function writePage(report: Report, { site, typed, io }: AskedReport): Promise<void> {
  const { savePage } = await import("../../../control/saved/page-file.ts");
  const { reportLines } = await import("../../../control/saved/report.ts");
  const redactor = createRedactor(site.config.secrets());
  const pieces = await savePage(reportLines(report), { redactor });
  const file = typed.options["html"]!;
  await writeNewFile(resolve(io.cwd, file), Readable.from(pieces, { objectMode: true }));
  print(io, `wrote ${oneLine(file)}`);
}
