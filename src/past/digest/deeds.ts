// What an agent did and said, and what happened to it: the parts of a digest that no other part needs.

import { z } from "zod";
import type { Event } from "../../domain/event/event.ts";
import type { Ledger } from "../ledger.ts";
import { correspondenceSchema, createCorrespondence, type Correspondence } from "./correspondence.ts";
import { createWritten, writtenSchema, type WrittenByAgent } from "../receipts/written.ts";
import { createFileChanges, fileChangesSchema, type FileChange } from "./file-changes.ts";
import { answersSchema, createAnswers, type AnswerPlaces } from "./incidents/answers.ts";
import { createIncidents, incidentsSchema, type Incidents, type SeenWith } from "./incidents/incidents.ts";
import { createTakenBack, takenBackSchema, type TakenBack } from "./taken-back.ts";
import { createOutcomes, outcomesSchema, type OutcomeCounts } from "./outcomes.ts";

export interface Deeds {
  /** The newest, oldest first. */
  readonly changes: readonly FileChange[];
  /** What is known of the writes of its calls, and of its commands. */
  readonly written: WrittenByAgent;
  readonly correspondence: Correspondence;
  readonly outcomes: OutcomeCounts;
  readonly incidents: Incidents;
  /** Only in the person's own log. */
  readonly answers: AnswerPlaces;
  /** Only in the person's own log. */
  readonly takenBack: TakenBack;
}

export const deedsShape = {
  ...{ files: fileChangesSchema, mail: correspondenceSchema, outcomes: outcomesSchema },
  ...{ incidents: incidentsSchema, answers: answersSchema, written: writtenSchema },
  takenBack: takenBackSchema,
};

const schema = z.object(deedsShape);
type PackedDeeds = z.output<typeof schema>;

export function createDeeds(ledger: Ledger, kept?: PackedDeeds) {
  const files = createFileChanges(kept?.files);
  const ends = createOutcomes(ledger, kept?.outcomes);
  const mail = createCorrespondence(kept?.mail);
  const { incidents, ...happening } = createIncidents(kept?.incidents);
  const { answers, ...answering } = createAnswers(kept?.answers);
  const writing = createWritten(kept?.written);
  const undoing = createTakenBack(kept?.takenBack);
  return {
    get deeds(): Deeds {
      const { changes } = files;
      const { correspondence } = mail;
      const { written } = writing;
      const { outcomes } = ends;
      const { takenBack } = undoing;
      return { changes, written, correspondence, outcomes, incidents, answers, takenBack };
    },
    see(event: Event, around: SeenWith): void {
      files.see(event, around.root);
      mail.see(event);
      writing.see(event);
      ends.see(event);
      happening.see(event, around);
      answering.see(event);
      undoing.see(event);
    },
    pack: (): PackedDeeds => ({
      ...{ files: files.pack(), mail: mail.pack(), outcomes: ends.pack() },
      ...{ incidents: happening.pack(), answers: answering.pack(), written: writing.pack() },
      takenBack: undoing.pack(),
    }),
  };
}
