import { setTimeout as delay } from "node:timers/promises";
import { formatDuration, parseDuration } from "../../base/text/duration.ts";
import { LegionError, isLegionError, messageOf } from "../../base/errors.ts";
import { CONTROL, parseMessageId, type AgentId, type Message } from "../../domain/message/message.ts";
import { withLegion } from "../../control/open.ts";
import { linkSignals } from "../../base/process/signals.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { followEvents } from "../kit/follow.ts";
import { print, printWhole } from "../kit/output.ts";
import { readingOutlooks, type ReadingOutlook, type SaidLane } from "./outlook.ts";
import { readText } from "../kit/typed-text.ts";
import { aboutRun, addLegionOptions, checkTargets, withSite, type Site } from "../kit/target.ts";

const DEFAULT_TIMEOUT = "60s";
const WATCH_MS = 1_000;

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("<ids>", "an agent such as 2, several such as 2,3, or all")
      .argument("<text...>", "what you say; - reads it from standard input")
      .option(
        "--steer",
        "new instructions: what runs is finished, nothing further is begun, and this is read next",
      )
      .option("--follow-up", "for later: it is read once the agent is done with what it is at")
      .option("--wait", "wait for the first answer and print it")
      .option("--timeout <duration>", `how long to wait for it (default: ${DEFAULT_TIMEOUT})`);
    addLegionOptions(parser);
  },
  async run(typed, io) {
    const timeoutMs = timeoutOf(typed);
    const delivery = laneOf(typed);
    await withSite(typed, io, async (site) => {
      const targets = await checkTargets(site, typed.args[0]!);
      const content = await readText(typed.args.slice(1), io);
      const from = timeoutMs === undefined ? 1 : (await site.reader.last(CONTROL)) + 1;
      const isAsked = io.stdout.isTTY || timeoutMs !== undefined;
      const readers = targets === "all" ? await site.reader.known() : targets;
      // Afterwards they would be at this very message.
      const told = isAsked ? await outlooksOf(readers, site, delivery) : [];
      const ids = await withLegion(site, (legion) => legion.say({ targets, content, delivery }));
      if (!io.stdout.isTTY) for (const id of ids) io.stdout.write(`${id}\n`);
      if (timeoutMs !== undefined && told.every(isNever)) throw unread(told);
      if (io.stdout.isTTY) for (const { text } of told) print(io, `${text}.`);
      if (timeoutMs !== undefined)
        printWhole(io, await answerTo(ids, { site, from, timeoutMs, delivery, io }));
    });
    return 0;
  },
};

function laneOf({ options: { steer, followUp } }: Typed): SaidLane {
  if (steer && followUp)
    throw new LegionError(
      "USAGE",
      "--steer is read next, --follow-up when all is done; leave one of them out",
    );
  if (steer) return "steer";
  return followUp ? "follow-up" : "normal";
}

/** `undefined`: nobody waits. */
function timeoutOf({ options: { wait, timeout } }: Typed): number | undefined {
  if (!wait) {
    if (timeout !== undefined) throw new LegionError("USAGE", "--timeout belongs to --wait");
    return undefined;
  }
  try {
    return parseDuration(timeout ?? DEFAULT_TIMEOUT);
  } catch (error) {
    throw new LegionError("USAGE", `--timeout: ${messageOf(error)}`, { cause: error });
  }
}

/** Who of `readers` reads a message that is sent now, and when. */
async function outlooksOf(
  readers: readonly AgentId[],
  site: Site,
  delivery: SaidLane,
): Promise<readonly ReadingOutlook[]> {
  const { agents } = await withLegion(site, (legion) => legion.status(readers));
  const last = await site.reader.lastStart();
  const outlooks = readingOutlooks(agents, last ? last.agents.map(({ id }) => id) : readers, delivery);
  return outlooks.map(({ text, ...outlook }) => ({ ...outlook, text: aboutRun(text, site) }));
}

function isNever({ comes }: ReadingOutlook): boolean {
  return comes === "never";
}

function unread(told: readonly ReadingOutlook[]): LegionError {
  return new LegionError("REFUSED", told.map(({ text }) => text).join("; "));
}

interface AnswerWait {
  readonly site: Site;
  /** The first event of log 0 that may be the answer. */
  readonly from: number;
  readonly timeoutMs: number;
  readonly delivery: SaidLane;
  readonly io: Io;
}

/**
 * The first message to Control that answers one of `ids`. Throws REFUSED when the time is over, and as soon as nobody is left
 * who could answer.
 */
async function answerTo(ids: readonly string[], wait: AnswerWait): Promise<string> {
  const { site, from, timeoutMs, io } = wait;
  const isAnswer = ({ re }: Message): boolean => re !== undefined && ids.includes(re);
  const timeout = AbortSignal.timeout(timeoutMs);
  const late = AbortSignal.any([io.signal, timeout]);
  const watch = watchReaders(ids, wait, late);
  try {
    for await (const event of followEvents(site, CONTROL, from, { signal: watch.signal, stderr: io.stderr }))
      if (event.kind === "message" && isAnswer(event.message)) return event.message.content;
  } finally {
    watch.end();
  }
  if (!late.aborted) {
    // What they said last may be in the mailbox, where no node takes it in.
    for await (const message of site.reader.inbox()) if (isAnswer(message)) return message.content;
    throw unread(watch.told());
  }
  const time = formatDuration(timeoutMs);
  throw new LegionError("REFUSED", `no answer within ${time}; when it comes, legion inbox shows it`);
}

/** Its signal aborts when `late` does, and when none of those to whom `ids` were sent runs any more. */
function watchReaders(
  ids: readonly string[],
  { site, delivery }: Pick<AnswerWait, "site" | "delivery">,
  late: AbortSignal,
) {
  const watched = new AbortController();
  const { signal, unlink } = linkSignals(late, watched.signal);
  const readers = ids.map((id) => parseMessageId(id).to);
  let told: readonly ReadingOutlook[] = [];
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await delay(WATCH_MS, undefined, { signal }).catch(() => undefined);
      told = await outlooksOf(readers, site, delivery).catch((error: unknown) => {
        // A node that is ending, or a Redis that is away: the next look may tell.
        if (isLegionError(error)) return [];
        throw error;
      });
      if (told.length > 0 && told.every(isNever)) watched.abort();
    }
  };
  void watch();
  return {
    signal,
    told: () => told,
    end(): void {
      watched.abort();
      unlink();
    },
  };
}
