// A command of many words for one server, in the form in which Redis reads it: put together word by word each time, as ioredis
// does it, it costs more than all that is in it.

import type { Redis } from "ioredis";

export type CommandWords = readonly (string | number)[];

/** So many words, as `encode` makes them, of one command or of more of them one after the other. */
export interface EncodedWords {
  readonly count: number;
  readonly text: string;
}

/** What is called sends a command at once, and resolves with the answer. */
export async function createSender(
  client: Redis,
): Promise<(name: string, words: EncodedWords) => Promise<unknown>> {
  const { Command } = await import("ioredis");
  return (name, { count, text }) => {
    const command = new Command(name, [], { replyEncoding: "utf8" });
    const whole = `*${count + 1}${encode([name]).text}${text}\r\n`;
    command.toWritable = () => whole;
    return client.sendCommand(command) as Promise<unknown>;
  };
}

/** @see https://redis.io/docs/latest/develop/reference/protocol-spec/ */
export function encode(words: CommandWords): EncodedWords {
  let text = "";
  for (const word of words) {
    const written = typeof word === "string" ? word : String(word);
    text += headOf(written);
    text += written;
  }
  return { count: words.length, text };
}

const HEADS = Array.from({ length: 1_024 }, (_, length) => headFor(length));

/** What stands before a text, with the end of the one before it. */
function headOf(text: string): string {
  const length = Buffer.byteLength(text);
  return HEADS[length] ?? headFor(length);
}

function headFor(length: number): string {
  return `\r\n$${length}\r\n`;
}
