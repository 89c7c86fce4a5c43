// What an action changed in a file, in colours.

import { count } from "../../../base/text/wording.ts";
import { fieldsOf } from "../../../base/text/json.ts";
import { clip, plain, type Look } from "../../kit/terminal.ts";
import type { StreamedRow } from "./page.ts";

const MAX_ROWS = 40;
/** What is looked at of a long one. */
const MAX_CHARS = 100_000;

const LOOKS: Readonly<Record<string, Look>> = { "+": "green", "-": "red", "@": "cyan" };

/** The unified diff that the details of a result hold as `diff`, from its first change on; empty if there is none. */
export function diffRows(details: unknown, columns: number): readonly StreamedRow[] {
  const { diff } = fieldsOf(details);
  if (typeof diff !== "string") return [];
  const lines = plain(diff.slice(0, MAX_CHARS)).trimEnd().split("\n");
  // Before it stand the names of the file, which the call has said.
  const first = lines.findIndex((line) => line.startsWith("@@"));
  const shown = first < 0 ? [] : lines.slice(first);
  const rows = shown.slice(0, MAX_ROWS).map((line): StreamedRow => ({
    mark: "",
    text: clip(line, columns),
    look: LOOKS[line[0] ?? ""] ?? "dim",
  }));
  const left = shown.length - rows.length;
  if (left > 0) rows.push({ mark: "", text: `… ${count(left, "more line")}`, look: "dim" });
  return rows;
}
