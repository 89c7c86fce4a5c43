import { CONTROL, type Message } from "../message.ts";
import type { Reader } from "../reader.ts";
import type { CliCommand } from "./command.ts";
import { senderOf } from "./event-line.ts";
import { followEvents } from "./follow.ts";
import { print, printJson } from "./output.ts";
import { offerDir, offerJson, readerOf } from "./project.ts";
import { dayOf, timeOf } from "./times.ts";

export const command: CliCommand = {
  define(parser) {
    parser.option("-f, --follow", "go on with what is said from now on, until Ctrl-C");
    offerJson(offerDir(parser));
  },
  async run(typed, io) {
    const { json, follow } = typed.options;
    const reader = await readerOf(typed, io);
    let count = 0;
    for await (const message of follow ? followInbox(reader) : reader.inbox()) {
      count++;
      if (json) printJson(io, message);
      else print(io, letter(message));
    }
    if (count === 0 && !json) print(io, "Nobody has said anything to you yet.");
    return 0;
  },
};

/** Each message once, also one that the log takes from the mailbox only later. */
async function* followInbox(reader: Reader): AsyncGenerator<Message> {
  const shown = new Set<string>();
  const isNew = ({ id, sentAt }: Message): boolean => shown.size < shown.add(`${id} ${sentAt}`).size;
  for await (const message of reader.inbox()) if (isNew(message)) yield message;
  const { signal } = new AbortController();
  for await (const event of followEvents(reader, CONTROL, { from: 1, signal })) {
    if (event.kind === "message" && isNew(event.message)) yield event.message;
  }
}

/** Who said it and when, then the text, indented. */
function letter(message: Message): string {
  const { id, sentAt, content } = message;
  const head = `${dayOf(sentAt)} ${timeOf(sentAt)}  ${senderOf(message)}  (${id})`;
  return `${head}\n${content.trim().replace(/^/gm, "  ")}\n`;
}
