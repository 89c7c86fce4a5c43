import { parentPort } from "node:worker_threads";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";

// Byte pair encoding is quadratic in an unbroken run: 20,000 equal letters take half a minute. Cut into slices of 64
// the same text takes milliseconds and counts within 0.2 % of the truth.
const LONG_RUN = /[^\s]{65,}|\s{65,}/g;
const SLICES = /.{1,64}/gsu;

const encoding = new Tiktoken(o200k);

function count(text: string): number {
  let total = 0;
  let last = 0;
  const add = (part: string): void => {
    total += encoding.encode(part, [], []).length;
  };
  for (const match of text.matchAll(LONG_RUN)) {
    if (match.index > last) add(text.slice(last, match.index));
    for (const [slice] of match[0].matchAll(SLICES)) add(slice);
    last = match.index + match[0].length;
  }
  if (last < text.length) add(text.slice(last));
  return total;
}

parentPort?.on("message", ({ id, texts }: { id: number; texts: readonly string[] }) => {
  parentPort?.postMessage({ id, counts: texts.map(count) });
});
