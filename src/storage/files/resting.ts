// Which agents rest, as one file that is appended to: a line for each that lies down, one for each that is woken, and one for each
// process that has held the lock, signed by its person. Only a cache: whoever deletes it has the next start read every log.

import { join } from "node:path";
import { z } from "zod";
import type { AppendFile, Disk } from "../../base/files/disk.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { NOTHING, type Spent } from "../../past/limits/spending.ts";
import { NOBODY_RESTS, type AtRest, type RestIndex } from "../contract/resting.ts";
import { fromLine, linesIn, toLine } from "../folder/line.ts";
import type { LegionPaths } from "../folder/paths.ts";
import type { Authorship } from "../folder/person/authorship.ts";
import type { JournalWriter } from "./journal/journal.ts";
import { shareFlushes } from "./journal/flushes.ts";
import { agentsIn } from "./reader/reader.ts";

/** A start that has fewer agents reads what there is of them in next to no time. */
export const MANY = 32;

const FORMAT = 1;
/** A file of so many lines more than there are agents at rest is written anew. */
const SLACK = 4_096;

const count = z.number().min(0);
const holderSchema = z.object({ format: z.literal(FORMAT), epoch: z.int(), mac: z.string() });
const restSchema = z.object({
  agent: z.string(),
  plan: z.string(),
  last: z.int().min(0),
  spent: z.tuple([count, count, count, count]).optional(),
});
const wakeSchema = z.object({ agent: z.string(), woken: z.literal(true) });

export interface RestIndexOptions extends Omit<JournalWriter, "clock" | "authorship"> {
  readonly authorship: Authorship;
  readonly paths: Pick<LegionPaths, "root" | "agents">;
  /** Those that will be run; of whom there is nothing, there is nothing to do. */
  readonly hosted: ReadonlySet<AgentId>;
}

/** Opens what is known under the lock before this one. Rejects with STORAGE where the agents cannot be listed. */
export async function openRestIndex(options: RestIndexOptions): Promise<KnownAgents> {
  const { paths, disk, lock, authorship, hosted } = options;
  const path = join(paths.root, "cache", "at-rest.jsonl");
  const { known, lines } = await readKnown(path, options);
  const there = new Set(await agentsIn(paths.agents, disk, (agent) => known.has(agent)));
  if (there.size <= MANY && hosted.size <= MANY) return { ...(await nothingKept(path, disk)), there };
  const mac = authorship.sign(NAME, lock.epoch);
  const holder = toLine({ format: FORMAT, epoch: lock.epoch, mac });
  try {
    const file = await begin(path, holder, { known, lines, disk });
    // Whoever is woken opens it again: it costs no descriptor while nobody is.
    file.close();
    const fresh = new Set([...hosted].filter((agent) => !there.has(agent)));
    return { ...createIndex(file, { known, there, fresh }, options), there };
  } catch {
    return { ...(await nothingKept(path, disk)), there };
  }
}

export interface KnownAgents extends RestIndex {
  /** Those that have a folder of their own. */
  readonly there: ReadonlySet<AgentId>;
}

const NEW: AtRest = { plan: "", last: 0, spent: NOTHING };
const NAME = "index of agents at rest";

/** What is there would be believed by the holder after the next one. */
async function nothingKept(path: string, disk: Disk): Promise<RestIndex> {
  if (disk.exists(path)) await disk.remove(path).catch(() => undefined);
  return NOBODY_RESTS;
}

interface KeptIndex {
  readonly known: Map<AgentId, AtRest>;
  /** How many lines there are; 0: the file is begun anew. */
  readonly lines: number;
}

/** Nothing unless every line is whole, also the last, and the last holder of the lock wrote here. */
async function readKnown(
  path: string,
  { disk, lock, authorship }: Pick<RestIndexOptions, "disk" | "lock" | "authorship">,
): Promise<KeptIndex> {
  const nothing = { known: new Map<AgentId, AtRest>(), lines: 0 };
  const bytes = await disk.read(path).catch(() => undefined);
  if (!bytes) return nothing;
  const known = new Map<AgentId, AtRest>();
  const inOne = createInterning();
  let lines = 0;
  let end = 0;
  let epoch: number | undefined;
  for (const [line, offset] of linesIn(bytes)) {
    const said: unknown = fromLine(line);
    lines++;
    end = offset + line.length + 1;
    const rest = restSchema.safeParse(said).data;
    const woken = rest ? undefined : wakeSchema.safeParse(said).data;
    const holder = rest || woken ? undefined : holderSchema.safeParse(said).data;
    if (rest) known.set(rest.agent, { plan: inOne(rest.plan), last: rest.last, spent: spentIn(rest.spent) });
    else if (woken) known.delete(woken.agent);
    else if (holder && authorship.isOwn(holder.mac, NAME, holder.epoch)) epoch = holder.epoch;
    else return nothing;
  }
  return epoch === lock.epoch - 1 && end === bytes.length ? { known, lines } : nothing;
}

/** Many agents are made of one plan: a hundred thousand times the same text is held once. */
function createInterning(): (text: string) => string {
  const texts = new Map<string, string>();
  return (text) => texts.get(text) ?? (texts.set(text, text), text);
}

function spentIn(numbers: z.output<typeof restSchema>["spent"]): Spent {
  if (!numbers) return NOTHING;
  const [steps, tokens, cost, timeMs] = numbers;
  return { steps, tokens, cost, timeMs };
}

function restLine(agent: AgentId, { plan, last, spent }: AtRest): string {
  const { steps, tokens, cost, timeMs } = spent;
  const isNothing = steps === 0 && tokens === 0 && cost === 0 && timeMs === 0;
  return toLine({ agent, plan, last, ...(!isNothing && { spent: [steps, tokens, cost, timeMs] }) });
}

/** From now on this process says who rests: before anybody can be woken. */
async function begin(
  path: string,
  holder: string,
  { known, lines, disk }: KeptIndex & Pick<JournalWriter, "disk">,
): Promise<AppendFile> {
  if (lines > 0 && lines < known.size + SLACK) {
    const file = disk.extend(path);
    file.write(Buffer.from(holder));
    await file.sync();
    return file;
  }
  const all = [...known].map(([agent, at]) => restLine(agent, at));
  await disk.replace(path, all.join("") + holder);
  return disk.extend(path);
}

interface IndexedAgents {
  /** Those of whom the file says that they rest. Somebody may have deleted some of them by hand. */
  readonly known: Map<AgentId, AtRest>;
  readonly there: ReadonlySet<AgentId>;
  /** Those of whom there is nothing. */
  readonly fresh: Set<AgentId>;
}

function createIndex(
  file: AppendFile,
  { known, there, fresh }: IndexedAgents,
  { durability }: Pick<RestIndexOptions, "durability">,
): RestIndex {
  /** Those of whom an earlier process said it. */
  const old = new Set(known.keys());
  let written = 0;
  /** By the number of the line that says so: those that were woken. */
  const woken = new Map<AgentId, number>();
  let isBroken = false;
  const flushes = shareFlushes(async () => {
    const upTo = written;
    if (durability === "disk") await file.sync();
    return upTo;
  }, written);
  const write = (line: string): number => {
    file.write(Buffer.from(line));
    return ++written;
  };
  return {
    of(agent) {
      if (fresh.has(agent)) return NEW;
      return there.has(agent) || !old.has(agent) ? known.get(agent) : undefined;
    },
    wake(agent) {
      fresh.delete(agent);
      if (known.delete(agent)) woken.set(agent, Infinity);
      const line = woken.get(agent);
      if (line === undefined) return undefined;
      if (line <= flushes.reached()) return void woken.delete(agent);
      if (line === Infinity) woken.set(agent, write(toLine({ agent, woken: true })));
      return flushes.cover(woken.get(agent)!);
    },
    rest(agent, at) {
      if (isBroken) return;
      try {
        write(restLine(agent, at));
        known.set(agent, at);
        fresh.delete(agent);
        old.delete(agent);
        woken.delete(agent);
      } catch {
        // Half a line may be there: none may stand behind it but what is read as damage.
        isBroken = true;
      }
    },
    async close() {
      await flushes.cover(written).catch(() => undefined);
      file.close();
    },
  };
}
