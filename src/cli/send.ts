import { formatDuration, parseDuration } from "../duration.ts";
import { LegionError, messageOf } from "../errors.ts";
import { CONTROL, MAX_CONTENT_BYTES } from "../message.ts";
import { reach } from "../server/reach.ts";
import type { CliCommand, Io, Typed } from "./command.ts";
import { followEvents } from "./follow.ts";
import { printWhole } from "./output.ts";
import { checkTargets, offerLegion, withSite, type Site } from "./project.ts";

const DEFAULT_TIMEOUT = "60s";

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("<ids>", "an agent such as 2, several such as 2,3, or all")
      .argument("<text...>", "what you say; - reads it from standard input")
      .option("--wait", "wait for the first answer and print it")
      .option("--timeout <duration>", `how long to wait for it (default: ${DEFAULT_TIMEOUT})`);
    offerLegion(parser);
  },
  async run(typed, io) {
    const timeoutMs = timeoutOf(typed);
    await withSite(typed, io, async (site) => {
      const targets = await checkTargets(site, typed.args[0]!);
      const content = await contentOf(typed, io);
      const from = timeoutMs === undefined ? 1 : (await site.reader.last(CONTROL)) + 1;
      const ids = await reach(site, (legion) => legion.say({ targets, content }));
      for (const id of ids) io.stdout.write(`${id}\n`);
      if (timeoutMs !== undefined) printWhole(io, await answerTo(ids, { site, from, timeoutMs, io }));
    });
    return 0;
  },
};

/** `undefined`: nobody waits. */
function timeoutOf({ options }: Typed): number | undefined {
  const timeout = options["timeout"];
  if (!options["wait"]) {
    if (timeout !== undefined) throw new LegionError("USAGE", "--timeout belongs to --wait");
    return undefined;
  }
  try {
    return parseDuration(typeof timeout === "string" ? timeout : DEFAULT_TIMEOUT);
  } catch (error) {
    throw new LegionError("USAGE", `--timeout: ${messageOf(error)}`, { cause: error });
  }
}

async function contentOf({ args }: Typed, { stdin }: Io): Promise<string> {
  const text = args.slice(1).join(" ");
  const content = text === "-" ? (await readAll(stdin)).replace(/\r?\n$/, "") : text;
  if (content.trim() === "") throw new LegionError("USAGE", "there is nothing to send: the text is empty");
  return content;
}

async function readAll(stdin: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    bytes += chunk.length;
    chunks.push(Buffer.from(chunk));
    if (bytes > MAX_CONTENT_BYTES) {
      throw new LegionError(
        "USAGE",
        `the text is too long: a message has at most ${MAX_CONTENT_BYTES} bytes`,
      );
    }
  }
  return Buffer.concat(chunks).toString("utf8");
}

interface Waiting {
  readonly site: Site;
  /** The first event of log 0 that may be the answer. */
  readonly from: number;
  readonly timeoutMs: number;
  readonly io: Io;
}

/** The first message to Control that answers one of `ids`. Throws REFUSED when the time is over. */
async function answerTo(ids: readonly string[], { site, from, timeoutMs, io }: Waiting): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  for await (const event of followEvents(site, CONTROL, { from, signal, io })) {
    if (event.kind !== "message" || event.message.re === undefined) continue;
    if (ids.includes(event.message.re)) return event.message.content;
  }
  const time = formatDuration(timeoutMs);
  throw new LegionError("REFUSED", `no answer within ${time}; when it comes, legion inbox shows it`);
}
