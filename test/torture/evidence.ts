// What is on the disk when all is over.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../src/domain/event/event.ts";
import type { AgentId, Delivery } from "../../src/domain/message/message.ts";
import type { Answer, QuestionPlaces } from "./answers.ts";
import type { Effect } from "./carrier.ts";
import { restored } from "./restored.ts";
import type { Rest } from "./rests.ts";
import { listNames, readJournal, type JournalEvidence } from "./journal.ts";
import { CARRIERS, type Fed } from "./order.ts";
import { readRemembered, type Remembered } from "./remembered.ts";

/** A record of a mailbox besides its `opened`. */
export type MailRecord = { readonly kind: "mail"; readonly seq: number } & Delivery;

export interface AgentEvidence {
  readonly log: JournalEvidence<Event>;
  readonly mailbox: JournalEvidence<MailRecord>;
  /** By path in the agent's folder: what people read of its state. */
  readonly files: ReadonlyMap<string, string>;
}

/** What is known of one agent wherever it was kept. */
export interface Past {
  readonly log: { readonly records: readonly Event[] };
}

/** What most of the checker needs to know. */
export interface Told {
  /** By id, `0` included. */
  readonly agents: ReadonlyMap<string, Past>;
  readonly effects: readonly Effect[];
  readonly fed: readonly Fed[];
  readonly answers: readonly Answer[];
  /** Calls that the rules came to forbid before a person said yes. */
  readonly revoked: ReadonlySet<string>;
  /** Whom the scribe listens to; two who talk to each other in the log of the first of them. */
  readonly observed: readonly AgentId[];
  /** The long-term memory of them all. */
  readonly remembered: Remembered;
}

export interface Evidence extends Told {
  readonly agents: ReadonlyMap<string, AgentEvidence>;
  readonly rests: readonly Rest[];
}

export interface Places extends QuestionPlaces {
  readonly project: string;
  readonly effects: string;
  readonly fed: string;
  readonly rests: string;
}

export function gather({ project, effects, fed, rests, ...questions }: Places): Evidence {
  const folder = join(project, ".ai-legion", "agents");
  const agents = readdirSync(folder).map((id) => [id, readAgent(join(folder, id))] as const);
  return {
    agents: new Map(agents),
    effects: readLines<Effect>(effects),
    fed: readLines<Fed>(fed),
    rests: readLines<Rest>(rests),
    observed: CARRIERS,
    remembered: readRemembered(project),
    ...gatherAnswers(questions),
  };
}

export function gatherAnswers({
  answers,
  revoked,
}: Pick<QuestionPlaces, "answers" | "revoked">): Pick<Told, "answers" | "revoked"> {
  return { answers: readLines<Answer>(answers), revoked: new Set(listNames(revoked)) };
}

function readAgent(folder: string): AgentEvidence {
  const notes = listNames(join(folder, "notes")).map((name) => join("notes", name));
  const files = [...notes, "goals.json", "duties.json"].filter((path) => existsSync(join(folder, path)));
  const log = readJournal<Event>(join(folder, "log"));
  return {
    log: { ...log, records: restored(log.records) },
    mailbox: readJournal(join(folder, "mailbox")),
    files: new Map(files.map((path) => [path, readFileSync(join(folder, path), "utf8")])),
  };
}

export function readLines<T>(path: string): readonly T[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}
