import { LegionError } from "../../base/errors.ts";

export const NO_FRONT_MATTER = "expected ---, the line that opens the front matter";

/** The front matter and the text below it. Throws CONFIG, naming the file, if it has none or that has no end. */
export function splitFrontMatter(file: string, text: string): { front: string; body: string } {
  const lines = text.split(/\r?\n/);
  const isFence = (candidate: string) => candidate.trimEnd() === "---";
  const refuse = (reason: string) => new LegionError("CONFIG", `${file}:1: ${reason}`);
  if (!isFence(lines[0]!)) throw refuse(NO_FRONT_MATTER);
  const end = lines.findIndex((candidate, index) => index > 0 && isFence(candidate));
  if (end < 0) throw refuse("the front matter has no end; close it with a line ---");
  const body = lines.slice(end + 1).join("\n");
  return { front: lines.slice(1, end).join("\n"), body: body.trim() };
}
