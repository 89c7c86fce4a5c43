import { deadLettersIn, resentIn, type DeadLetter } from "../../past/mail/dead-letters.ts";
import { LegionError } from "../../base/errors.ts";
import { fieldsOf } from "../../base/text/json.ts";
import { authorityOf } from "../../domain/message/authority.ts";
import { CONTROL, parseMessageId, type Message } from "../../domain/message/message.ts";
import { askedIn } from "../../domain/policy/question-text.ts";
import { sourcesOf } from "../../domain/message/taint.ts";
import { runName } from "../../storage/folder/paths.ts";
import { remarkForeign } from "../consent/adoption.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { receiptLines, withToday } from "../../legion/receipts/told.ts";
import { createReceiptsToday, type ReceiptToday } from "../../legion/receipts/today.ts";
import { senderOf } from "../look/log/event-line.ts";
import { followEvents, readThrough } from "../kit/follow.ts";
import { columnsFor, namesOf, oneLine, print, printJson } from "../kit/output.ts";
import { aboutRun, addJsonOption, addLegionOptions, withSite, type Site } from "../kit/target.ts";
import { clip } from "../kit/terminal.ts";
import { ageOf, dayOf, timeOf } from "../kit/times.ts";

export const command: CliCommand = {
  define(parser) {
    parser.option("-f, --follow", "go on with what is said from now on, until Ctrl-C");
    parser.option("--dead", "messages of all agents that could not be delivered, and why");
    addJsonOption(addLegionOptions(parser));
  },
  async run(typed, io) {
    const { follow, dead } = typed.options;
    if (follow && dead) throw new LegionError("USAGE", "--dead lists what is there now; leave out --follow");
    await withSite(typed, io, async (site) => {
      await remarkForeign(site.reader, CONTROL, io);
      if (dead) return listDead(site, typed, io);
      const mail = follow ? followInbox(site, io) : judged(site.reader.inbox(), site);
      return listMail(mail, site.home && runName(site.project, site.home), typed, io);
    });
    return 0;
  },
};

/** A message, and its receipts as they are when it is shown. */
interface JudgedMessage {
  readonly message: Message;
  readonly receipts: readonly ReceiptToday[] | undefined;
}

async function* judged(mail: AsyncIterable<Message>, { reader }: Site): AsyncGenerator<JudgedMessage> {
  const receiptsOf = createReceiptsToday(reader);
  for await (const message of mail) yield { message, receipts: await receiptsOf(message) };
}

/** @param run where it was said; absent: in the project's own legion */
async function listMail(
  mail: AsyncIterable<JudgedMessage>,
  run: string | undefined,
  { options }: Typed,
  io: Io,
): Promise<void> {
  let count = 0;
  for await (const { message, receipts } of mail) {
    count++;
    if (options["json"]) printJson(io, withToday(message, receipts));
    else print(io, letter(message, run, receipts));
  }
  if (count === 0 && !options["json"]) print(io, "Nobody has said anything to you yet.");
}

/** Each message once, also one that the log takes from the mailbox only later. */
async function* followInbox(site: Site, io: Io): AsyncGenerator<JudgedMessage> {
  const shown = new Set<string>();
  const isNew = ({ id, sentAt }: Message): boolean => shown.size < shown.add(`${id} ${sentAt}`).size;
  for await (const one of judged(readThrough(site, site.reader.inbox, io), site))
    if (isNew(one.message)) yield one;
  for await (const event of followEvents(site, CONTROL, 1, io)) {
    if (event.kind !== "message" || !isNew(event.message)) continue;
    const { message } = event;
    // What is known by then: much may have been written since the one before.
    yield { message, receipts: await createReceiptsToday(site.reader)(message) };
  }
}

/** Who said it and when, for whom and after what from outside, then the text, indented. */
function letter(
  message: Message,
  run: string | undefined,
  receipts: readonly ReceiptToday[] | undefined,
): string {
  const { id, sentAt, details } = message;
  const { question } = fieldsOf(details);
  const isAsked = run !== undefined && typeof question === "string";
  const content = isAsked ? askedIn(run, question, message.content) : message.content;
  const head = `${dayOf(sentAt)} ${timeOf(sentAt)}  ${senderOf(message)}  (${id})`;
  return [head, ...marksOf(message), ...receiptLines(receipts), content.trim().replace(/^/gm, "  "), ""].join(
    "\n",
  );
}

function* marksOf(message: Message): Generator<string> {
  const { from } = parseMessageId(message.id);
  const others = authorityOf(message).filter((name) => name !== from);
  if (others.length > 0) yield `(in the name of ${namesOf(others)})`;
  const sources = sourcesOf(message.taint);
  if (sources.length > 0) yield `(after words from outside: ${sources.join(", ")})`;
}

/** Oldest first, over all senders. */
async function listDead(site: Site, { options }: Typed, io: Io): Promise<void> {
  const { reader } = site;
  const letters: DeadLetter[] = [];
  const resent = await resentIn(reader.events(CONTROL));
  const isOpen = ({ id, isResent }: DeadLetter): boolean => !isResent && !resent.has(id);
  for (const agent of [CONTROL, ...(await reader.known())])
    letters.push(...(await deadLettersIn(agent, reader.events(agent))).filter(isOpen));
  letters.sort((a, b) => Date.parse(a.since) - Date.parse(b.since));
  for (const dead of letters) {
    if (options["json"]) printJson(io, deadJson(dead));
    else print(io, deadLetter(dead, columnsFor(io)));
  }
  if (options["json"]) return;
  const way = aboutRun("`legion resend <id>` sends one again.", site);
  print(io, letters.length > 0 ? way : "There are no dead letters.");
}

/** The message, under the name that `resend` takes. */
function deadJson({ id, message, to, since, why }: DeadLetter): object {
  return { ...message, id, ...("id" in message && { messageId: message.id }), to, since, why };
}

/** Its name and age, who should have heard what from whom, and, indented, why they did not. */
function deadLetter({ id, since, message, to, why }: DeadLetter, columns: number): string {
  const age = ageOf(since, Date.now());
  const line = `${id}  ${age}  ${senderOf(message)} to ${namesOf(to)}: ${oneLine(message.content.slice(0, MAX_CHARS))}`;
  return `${clip(line, columns)}\n  ${oneLine(why)}`;
}

/** What is looked at of a long content: more than any line shows. */
const MAX_CHARS = 4_000;
