// When what is folded from a log is kept for its next opening: often enough that a crash costs little, and seldom enough to cost
// nothing. Only at moments in which the folds and what is durable of the log end with the same event.

import type { Event, NewEvent } from "../../domain/event/event.ts";
import type { Ledger } from "../ledger.ts";
import type { PackedStanding } from "../digest/standing.ts";
import type { Adding } from "../log/adding.ts";
import type { EventLog } from "../log/event-log.ts";
import type { ReadPast } from "./reading.ts";

export interface KeptLog {
  readonly log: Pick<EventLog, "last">;
  /**
   * Keeps what all that is in the log by now comes to, for the next opening, which hands it to `goOn`. Never rejects, and need
   * not be: what cannot be kept is left out. Absent: nothing is kept.
   */
  keepPast?(packed: Uint8Array): Promise<void>;
  /** The same of how the agent stands when its log is closed, for whoever asks while nobody runs it. @param pack is to be called at once */
  keepStanding?(pack: () => PackedStanding | undefined): Promise<void>;
}

/** So many events are read in next to no time. */
const WORTHWHILE = 256;
/** So many are written before it is kept once more. */
const OFTEN = 16_384;

export function createKeeping(
  { safe, isDead }: Pick<Adding, "safe" | "isDead">,
  reading: () => KeptLog & ReadPast,
  ledger: Ledger,
) {
  let of: ReadPast | undefined;
  let kept = 0;
  let writing: Promise<void> | undefined;
  const isTogether = (): boolean => !isDead() && ledger.last === reading().log.last && ledger.last === safe();
  const keep = (least: number): void => {
    const current = reading();
    const { keepPast, known, pack } = current;
    // Another reading may have come to another past.
    if (of !== current) [of, kept] = [current, known];
    if (!keepPast || writing || !isTogether() || ledger.last - kept < least) return;
    const packed = pack(ledger);
    if (!packed) return;
    kept = ledger.last;
    writing = keepPast(packed).finally(() => void (writing = undefined));
  };
  return {
    /** What `append` resolves with is kept now and then. */
    after:
      (append: (events: readonly NewEvent[]) => Promise<readonly Event[]>) =>
      async (events: readonly NewEvent[]): Promise<readonly Event[]> => {
        const added = await append(events);
        keep(OFTEN);
        return added;
      },
    /** Before the log is closed. */
    async last(): Promise<void> {
      await writing;
      keep(WORTHWHILE);
      await writing;
      const { keepStanding, stand } = reading();
      if (isTogether()) await keepStanding?.(() => stand(ledger));
    },
  };
}
