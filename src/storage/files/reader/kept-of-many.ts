// What is kept of many agents in one file, a line for each: of one that nobody touched since, nothing else is read. Only a cache, signed
// by the person.

import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { z } from "zod";
import { readJson } from "../../../base/text/json.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { VERSION } from "../../../past/digest/digest.ts";
import { removeFrom } from "../../folder/cache/replace.ts";
import { signedFile } from "../../folder/cache/signed-file.ts";
import type { LegionPaths } from "../../folder/paths.ts";
import type { Authorship } from "../../folder/person/authorship.ts";
import { isUntouched, marksOf, type AgentMarks } from "./touched.ts";

/** What there is of fewer agents is read in next to no time; what would be kept of more is long to read, and to hold. */
const [FEWEST, MOST] = [32, 5_000];
/** More is not kept of one agent, as JSON, in characters: no one of them is to keep all others out. */
const MOST_CHARS = 65_536;
/** In the cache. */
const FOLDER = "together";

export interface KeptOfManyPlace {
  readonly paths: LegionPaths;
  /** Of the person, as far as it is known now. */
  readonly authorship: () => Promise<Authorship>;
}

interface KeptKind<T> {
  /** The name of its file. */
  readonly file: string;
  /** What is kept there; another one wherever it takes another shape. */
  readonly name: string;
  /** Plain JSON. */
  readonly schema: z.ZodType<T>;
}

interface KeptLine {
  readonly marks: AgentMarks;
  readonly kept: unknown;
}

export type KeptOfMany<T> = ReturnType<typeof createKeptOfMany<T>>;

/** Of few agents nothing is kept, and nothing that was is looked at. */
export function createKeptOfMany<T>(kind: KeptKind<T>, { paths, authorship }: KeptOfManyPlace) {
  const file = keptFile(kind, { paths, authorship });
  let lines: Map<AgentId, KeptLine> | undefined;
  let reading: Promise<Map<AgentId, KeptLine>> | undefined;
  /** Who was found untouched in this turn of the event loop, and who was not. */
  const looked = new Map<AgentId, boolean>();
  const untouched = (agent: AgentId): KeptLine | undefined => {
    const line = lines?.get(agent);
    if (!line) return undefined;
    if (looked.size === 0) setImmediate(() => looked.clear());
    const isStill = looked.get(agent) ?? isUntouched(paths.agent(agent), line.marks);
    looked.set(agent, isStill);
    return isStill ? line : undefined;
  };
  let [news, underWay] = [0, 0];
  const ended = async (): Promise<void> => {
    underWay--;
    // Whoever asks of one after the other asks of the next one now.
    if (underWay === 0 && news >= FEWEST) await turn();
    if (!lines || underWay > 0 || news < FEWEST) return;
    news = 0;
    const still = [...lines].filter(([agent, { marks }]) => isUntouched(paths.agent(agent), marks));
    await file.write(still).catch(() => undefined);
  };
  return {
    /** To be called with the number of agents that there are, before anything is asked of them. Never rejects. True the first time. */
    async open(count: number): Promise<boolean> {
      if (lines || count < FEWEST || count > MOST) return false;
      lines = await (reading ??= file.read().catch(() => new Map()));
      return true;
    },
    /** `undefined`: it has to be read. */
    of: (agent: AgentId) => untouched(agent)?.kept as T | undefined,
    /** Of one of whom something is kept: of what is there now. */
    marks: (agent: AgentId) => untouched(agent)?.marks,
    /** What `read` gives; what `toKeep` makes of that is kept, unless the agent was touched meanwhile. Rejects as `read` does. */
    async renew<R>(
      agent: AgentId,
      read: () => Promise<R>,
      toKeep: (told: R) => Promise<T | undefined>,
    ): Promise<R> {
      const folder = paths.agent(agent);
      const marks = lines && marksOf(folder);
      underWay++;
      try {
        const told = await read();
        const kept = marks && (await toKeep(told));
        if (!lines || !marks || kept === undefined || !isUntouched(folder, marks)) return told;
        if (JSON.stringify(kept).length > MOST_CHARS) return told;
        lines.set(agent, { marks, kept });
        looked.delete(agent);
        news++;
        return told;
      } finally {
        await ended();
      }
    },
  };
}

/** Removes what was kept, where an agent is gone. Never rejects. */
export function removeKeptOfMany({ root }: LegionPaths): Promise<void> {
  return removeFrom(join(root, "cache"), FOLDER);
}

/** Where what is kept of all of them is. */
function keptFile<T>({ file, name, schema }: KeptKind<T>, { paths, authorship }: KeptOfManyPlace) {
  const { root, tmp } = paths;
  const place = { path: join(root, "cache", FOLDER, file), tmp, name: `${name}, ${VERSION}` };
  const first = z.object({ agent: z.string(), marks: z.record(z.string(), z.string()), kept: schema });
  return {
    /** One program wrote all lines, and the person's code is over all of them: what the first one is, they all are. */
    async read(): Promise<Map<AgentId, KeptLine>> {
      const said = await signedFile(place, await authorship()).read();
      const texts = said?.toString("utf8").split("\n").slice(0, -1) ?? [];
      if (!first.safeParse(readJson(texts[0] ?? "")).success) return new Map();
      return new Map(
        texts.map((text) => {
          const { agent, ...line } = JSON.parse(text) as KeptLine & { readonly agent: AgentId };
          return [agent, line];
        }),
      );
    },
    async write(lines: readonly (readonly [AgentId, KeptLine])[]): Promise<void> {
      const texts = lines.map(([agent, line]) => `${JSON.stringify({ agent, ...line })}\n`);
      await signedFile(place, await authorship()).write(Buffer.from(texts.join("")));
    },
  };
}
