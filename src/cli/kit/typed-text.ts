// What a person says in arguments, or on standard input.

import { LegionError } from "../../base/errors.ts";
import { MAX_CONTENT_BYTES } from "../../domain/message/message.ts";
import type { Io, Typed } from "./command.ts";

/** The words with blanks between them; for `-` what standard input holds, without its last line end. Throws USAGE if that is nothing, or more than a message holds. */
export async function readText(words: Typed["args"], { stdin }: Pick<Io, "stdin">): Promise<string> {
  const text = words.join(" ");
  const content = text === "-" ? (await readAll(stdin)).replace(/\r?\n$/, "") : text;
  if (content.trim() === "") throw new LegionError("USAGE", "there is nothing to say: the text is empty");
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
