// Which files were changed and which commands ran, by whom and for what. Differences are read from the logs when it is known which
// are told.

import { fieldsOf } from "../../base/text/json.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { isTakenBack, type TakenBack } from "../../past/digest/taken-back.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { Roots } from "./asked.ts";
import { byMs, type ChangedFile, type RanCommand, type ReportDeeds } from "./deeds.ts";
import { byTime, createGroup } from "./group.ts";

interface ByAgent {
  readonly agent: AgentId;
}

/** Of one file. */
const MOST_CHARS = 20_000;

export function createChanged(most: number) {
  const files = createGroup<ChangedFile & ByAgent>(most, byMs);
  const commands = createGroup<RanCommand & ByAgent>(most, byTime);
  return {
    add(agent: AgentId, deeds: ReportDeeds, roots: Pick<Roots, "addDeeds">): void {
      files.join(deeds.files, (file) => ({ ...file, agent }));
      commands.join(deeds.commands, (one) => ({ ...one, agent }));
      for (const counts of deeds.causes) roots.addDeeds(counts);
    },
    commands: () => commands.group(),
    /** @param takenBack what the person's own log tells */
    async files(reader: Pick<Reader, "events">, takenBack: TakenBack) {
      const { items, ...counted } = files.group();
      const diffs = await readDiffs(reader, items);
      return {
        ...counted,
        items: items.map((item) => {
          const { seqs, atMs, firstMs: _, ...file } = item;
          return {
            ...{ ...file, at: new Date(atMs).toISOString(), takenBack: manyTakenBack(item, takenBack) },
            ...diffOf(file, seqs, diffs),
          };
        }),
      };
    },
  };
}

/** Of all times that are known, each once. */
function manyTakenBack(
  { agent, path, commands, times, seqs, firstMs: atMs }: ByAgent & ChangedFile,
  takenBack: TakenBack,
): number {
  // What an action named may be written in other ways; what a command changed may be one of many.
  const which = commands === 0 ? undefined : path;
  const back = seqs.filter((seq) => isTakenBack(takenBack, { event: `${agent}.${seq}`, atMs, path: which }));
  return back.length === seqs.length ? times : back.length;
}

type Diffs = ReadonlyMap<string, string>;

function nameOf(agent: AgentId, seq: number): string {
  return `${agent} ${seq}`;
}

/** Of each log once, from the first event that is wanted to the last. */
async function readDiffs(
  reader: Pick<Reader, "events">,
  files: readonly (ByAgent & Pick<ChangedFile, "seqs">)[],
): Promise<Diffs> {
  const diffs = new Map<string, string>();
  for (const agent of new Set(files.map((file) => file.agent))) {
    const wanted = new Set(files.filter((file) => file.agent === agent).flatMap(({ seqs }) => seqs));
    const last = Math.max(...wanted);
    for await (const event of reader.events(agent, Math.min(...wanted))) {
      if (event.seq > last) break;
      const { diff } = fieldsOf(wanted.has(event.seq) && event.kind === "result" ? event.details : undefined);
      if (typeof diff === "string") diffs.set(nameOf(agent, event.seq), diff);
    }
  }
  return diffs;
}

function diffOf({ agent }: ByAgent, seqs: readonly number[], diffs: Diffs) {
  const whole = seqs
    .flatMap((seq) => diffs.get(nameOf(agent, seq)) ?? [])
    .map((diff) => diff.trimEnd())
    .join("\n");
  const lines = whole.split("\n");
  const many = (sign: RegExp): number => lines.filter((line) => sign.test(line)).length;
  return {
    ...{ added: many(/^\+(?!\+\+ )/), removed: many(/^-(?!-- )/) },
    ...{ diff: whole.slice(0, MOST_CHARS), isCut: whole.length > MOST_CHARS },
  };
}
