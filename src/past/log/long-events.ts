import type { Event, NewEvent } from "../../domain/event.ts";
import { longStrings, outline, type Blobs, type Outlined } from "./blobs.ts";

/**
 * Has `write` write events in the order of the calls; their long strings as blobs, which are kept by then, but gives them
 * back whole.
 */
export function createWriter(
  write: (events: readonly (NewEvent & Outlined)[]) => readonly Event[],
  blobs: Blobs,
): (events: readonly NewEvent[]) => Promise<readonly Event[]> | readonly Event[] {
  /** The newest call that waits for its blobs, or for those of the calls before it. */
  let waiting: Promise<unknown> | undefined;
  return (events) => {
    const long = events.map((event) => longStrings(event));
    if (!waiting && long.every((places) => places.length === 0)) return write(events);
    const turn = Promise.allSettled([waiting])
      .then(() => Promise.all(events.map((event, index) => outline(event, long[index]!, blobs))))
      .then((records) =>
        write(records).map(({ seq, epoch, at }, index) => ({ seq, epoch, at, ...events[index]! })),
      );
    const over = (): void => void (waiting === turn && (waiting = undefined));
    waiting = turn;
    turn.then(over, over);
    return turn;
  };
}
