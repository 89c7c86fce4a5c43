// `legion trace`: what agents did, as one file for the tools that people have for traces.

import { resolve } from "node:path";
import { Readable } from "node:stream";
import { LegionError } from "../../base/errors.ts";
import { packageVersion } from "../../base/package.ts";
import { createRedactor } from "../../base/redaction/redactor.ts";
import { escapeUnseen } from "../../base/text/json.ts";
import { displayName, isMessageId } from "../../domain/message/message.ts";
import type { RecordChoice } from "../../control/saved/choice.ts";
import { readTraceLogs, tellSpans, type TraceLogs, type TraceWish } from "../../legion/traces.ts";
import { chromePieces } from "../../past/spans/chrome.ts";
import { otlpPieces } from "../../past/spans/otlp.ts";
import type { Span } from "../../past/spans/span.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { checkNewFile, writeNewFile } from "../kit/new-file.ts";
import { oneLine, print, printPieces, warn } from "../kit/output.ts";
import { addLegionOptions, checkTargets, withSite, type Site } from "../kit/target.ts";
import { readTime } from "../kit/times.ts";

/** What is no trace is a page. */
const HTML = "html";

const FORMATS: Readonly<Record<string, (spans: AsyncIterable<Span>) => AsyncIterable<string>>> = {
  otlp: (spans) =>
    otlpPieces(spans, { attributes: { "service.name": "ai-legion" }, version: packageVersion() }),
  chrome: chromePieces,
};

/** Of OpenTelemetry: without it, a trace holds nothing of what was said. */
const CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

export const command: CliCommand = {
  define(parser) {
    parser
      .option("--root <message>", "only what this message set off, such as 0>2#1, over all agents")
      .option("--agent <ids>", "only what these agents did: one, several such as 2,3, or all")
      .option("--since <time>", "only what ended since then, or goes on: 8h, 7d, 2026-03-01")
      .option("--format <format>", "otlp (the default), chrome for ui.perfetto.dev, or html: a page")
      .option("--output <file>", "where to; without it, to standard output")
      .addHelpText("after", `\nWhat was said is in it only with ${CAPTURE}=true; in html it always is.`);
    addLegionOptions(parser);
  },
  async run(typed, io) {
    const format = readFormat(typed);
    const root = readRoot(typed);
    const since = readTime(typed, "since", { nowMs: Date.now() });
    const content = readCapture(io);
    checkOutput(typed, io);
    return withSite(typed, io, async (site) => {
      const { agent } = typed.options;
      const targets = agent === undefined ? "all" : await checkTargets(site, agent);
      const logs = await readTraceLogs(site.reader, root);
      if (root !== undefined) checkRoot(root, logs);
      for (const { agent: id, reason } of logs.unread)
        warn(io, `what ${displayName(id)} did is left out: ${oneLine(reason)}`);
      const sinceMs = since === undefined ? undefined : Date.parse(since);
      const agents = targets === "all" ? undefined : targets;
      const wish = { root, agents, sinceMs };
      if (format === HTML) await writePage(typed, io, { site, logs, wish });
      else
        await write(typed, io, escaped(FORMATS[format]!(tellSpans(site.reader, logs, { ...wish, content }))));
      return 0;
    });
  },
};

interface ChosenPage {
  readonly site: Site;
  readonly logs: TraceLogs;
  readonly wish: RecordChoice;
}

/** The page of the dashboard, with what was chosen of the record in it. */
async function writePage(typed: Typed, io: Io, { site, logs, wish }: ChosenPage): Promise<void> {
  const { chooseRecord } = await import("../../control/saved/choice.ts");
  const { recordLines } = await import("../../control/saved/record.ts");
  const { savePage } = await import("../../control/saved/page-file.ts");
  const { watchSite } = await import("./dashboard.ts");
  const chosen = await chooseRecord(site.reader, logs, wish);
  const redactor = createRedactor(site.config.secrets());
  const pieces = await savePage(recordLines(watchSite(site, io.env), chosen), { redactor });
  await write(typed, io, Readable.from(pieces));
}

/** For a terminal. */
async function* escaped(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) yield escapeUnseen(piece);
}

async function write({ options }: Typed, io: Io, pieces: AsyncIterable<string>): Promise<void> {
  const { output } = options;
  if (output === undefined) return void (await printPieces(io, pieces));
  await writeNewFile(resolve(io.cwd, output), Readable.from(pieces, { objectMode: true }));
  print(io, `wrote ${oneLine(output)}`);
}

/** Before anything is read: that may take long. */
function checkOutput({ options: { output } }: Typed, { cwd }: Io): void {
  if (output === "") throw new LegionError("USAGE", "--output: name a file");
  if (output !== undefined) checkNewFile(resolve(cwd, output));
}

function readFormat({ options: { format = "otlp" } }: Typed): string {
  if (format === HTML || Object.hasOwn(FORMATS, format)) return format;
  const known = [...Object.keys(FORMATS), HTML].join(", ");
  throw new LegionError("USAGE", `--format: there is no format ${JSON.stringify(format)}; known: ${known}`);
}

function readRoot({ options: { root } }: Typed): string | undefined {
  if (root === undefined || isMessageId(root)) return root;
  throw new LegionError("USAGE", `--root: ${JSON.stringify(root)} is no message; its id is such as 0>2#1`);
}

function readCapture({ env }: Io): TraceWish["content"] {
  const said = env[CAPTURE]?.trim().toLowerCase() ?? "";
  if (["", "false"].includes(said)) return "left out";
  if (said === "true") return "told";
  throw new LegionError("USAGE", `${CAPTURE}: expected true or false, not ${JSON.stringify(said)}`);
}

function checkRoot(root: string, logs: TraceLogs): void {
  if (logs.root === root) return;
  const way =
    logs.root === undefined
      ? "no agent was sent it; `legion ps --by cause` lists first messages"
      : `it belongs to what ${oneLine(logs.root)} set off: --root '${oneLine(logs.root)}'`;
  throw new LegionError("USAGE", `--root: ${root} is no first message here: ${way}`);
}
