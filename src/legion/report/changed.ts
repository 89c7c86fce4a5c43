// Which files were changed and which commands ran, by whom and for what. Differences are read from the logs when it is known which
// are told.

import { fieldsOf } from "../../base/text/json.ts";
import type { AgentId } from "../../domain/message/message.ts";
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
    async files(reader: Pick<Reader, "events">) {
      const { items, ...counted } = files.group();
      const diffs = await readDiffs(reader, items);
      return {
        ...counted,
        items: items.map(({ seqs, atMs, ...file }) => ({
          ...{ ...file, at: new Date(atMs).toISOString() },
          ...diffOf(file, seqs, diffs),
        })),
      };
    },
  };
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
