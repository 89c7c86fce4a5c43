// A memory as one file, to be kept or taken elsewhere.

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { LegionError } from "../../../base/errors.ts";
import { count } from "../../../base/text/wording.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { authorshipOf, type Authorship } from "../../../storage/folder/person/authorship.ts";
import { writeNewFile } from "../../kit/new-file.ts";
import { printJson, printRows } from "../../kit/output.ts";
import { endLine, firstLine, lineOf } from "./memory-file.ts";
import { findMemory, type MeantMemory, type Ordered } from "../order.ts";

const STDOUT = "-";

export async function order(ordered: Ordered): Promise<number> {
  const { typed, io } = ordered;
  const [file = ""] = typed.args;
  if (file === "") throw new LegionError("USAGE", "name a file to write, or - for standard output");
  const memory = await findMemory(ordered);
  // What somebody else wrote does not become the person's by being copied.
  const isForeign = await memory.reader.isForeign();
  const authorship = isForeign ? undefined : await authorshipOf(openPersonFolder(io.env));
  const tally = { entries: 0, shards: 0 };
  const lines = linesOf(memory, tally, authorship);
  if (file === STDOUT) {
    if (io.stdout.isTTY)
      throw new LegionError("USAGE", "an export is not for a terminal; send it to a file or another program");
    for await (const line of lines) io.stdout.write(line);
    return 0;
  }
  const path = resolve(io.cwd, file);
  await writeNewFile(path, Readable.from(lines, { objectMode: true }));
  if (typed.options["json"]) printJson(io, { file: path, memory: memory.id, ...tally });
  else printRows(io, `wrote ${file}: ${memory.id}, ${said(tally)}`);
  return 0;
}

interface ExportTally {
  entries: number;
  shards: number;
}

function said({ entries, shards }: ExportTally): string {
  return `${entries} ${entries === 1 ? "entry" : "entries"}, ${count(shards, "shard")} of context`;
}

/** As the memory stands now. @param tally counts along what is not forgotten */
async function* linesOf(
  { id, reader }: MeantMemory,
  tally: ExportTally,
  authorship: Authorship | undefined,
): AsyncGenerator<string> {
  const { last } = await reader.standing();
  const forgotten = new Set<number>();
  for await (const event of reader.events())
    if (event.kind === "forgotten") for (const seq of event.seqs) forgotten.add(seq);
  const hash = createHash("sha256");
  let lines = 0;
  const toText = (line: object): string => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    lines++;
    return text;
  };
  yield toText(firstLine(id));
  for await (const event of reader.events()) {
    if (event.seq > last) break;
    const line = lineOf(event, forgotten);
    if (!line) continue;
    if (!("forgotten" in line) && event.kind === "entry") tally.entries++;
    if (!("forgotten" in line) && event.kind === "context") tally.shards++;
    yield toText(line);
  }
  yield `${JSON.stringify(endLine(lines, hash, authorship))}\n`;
}
