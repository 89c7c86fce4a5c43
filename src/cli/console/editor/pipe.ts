// Lines from a pipe or a file. No more is read than is handled, and no line is kept that no message could hold.

import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { createEntryReader, createSplitter } from "./entries.ts";
import { TOO_LONG, type Input, type InputOptions } from "./input.ts";
import type { TooLong } from "./keys.ts";

/** What `echo` or a file sends is read by then; an input that stays open and silent is not waited for any longer. */
const SILENCE_MS = 100;

export function readPipe({
  io: { stdin },
  onEntry,
  onRefused,
}: Pick<InputOptions, "io" | "onEntry" | "onRefused">): Input {
  const decoder = new StringDecoder("utf8");
  const splitter = createSplitter();
  const entries = createEntryReader();
  let working = Promise.resolve();
  let chunks = 0;
  let state: "open" | "ended" | "closed" = "open";
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const handle = async (lines: readonly (string | TooLong)[]): Promise<void> => {
    for (const line of lines) {
      const entry = state === "closed" ? undefined : entries.add(line);
      if (typeof entry === "string") await onEntry(entry);
      else if (entry) onRefused(`a line is ${TOO_LONG}`);
    }
  };
  const onData = (chunk: Buffer | string): void => {
    chunks++;
    stdin.pause();
    const lines = splitter.take(typeof chunk === "string" ? chunk : decoder.write(chunk));
    working = working.then(() => handle(lines)).then(() => void (state === "open" && stdin.resume()));
  };
  const onEnd = (): void => {
    if (state !== "open") return;
    state = "ended";
    const rest = splitter.rest();
    // A line that should go on, and does not, ends here.
    working = working.then(() => handle([...(rest === undefined ? [] : [rest]), ""])).then(end);
  };
  stdin.on("data", onData).on("end", onEnd).on("error", onEnd);
  return {
    async settled() {
      for (let seen = -1; seen !== chunks && state === "open";) {
        seen = chunks;
        await Promise.race([ended, delay(SILENCE_MS)]);
        await working;
      }
      await working;
    },
    close() {
      state = "closed";
      stdin.off("data", onData);
      stdin.pause();
    },
  };
}
