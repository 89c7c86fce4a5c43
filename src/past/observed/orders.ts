// What a program orders of an observer stands in the observer's own log, as any mail that it has taken in, and is read there like
// what is said in the logs of others.

import { orderIn } from "../../domain/event/invoking.ts";
import type { Event } from "../../domain/event/event.ts";
import type { LogId } from "../../domain/message/message.ts";
import type { SaidMessage } from "./said.ts";

/** What `event` of an observer's own log orders; mostly nothing. */
export function ordersIn(event: Event): readonly SaidMessage[] {
  if (event.kind !== "message" || orderIn(event.message) === undefined) return [];
  return [{ message: event.message, from: event.from }];
}

/** Where an observer's own log is read on: all orders before it are done. */
export interface OrderedPlace {
  readonly log: LogId;
  readonly seq: number;
}

/** A fold over the whole of an observer's log: it stands at the oldest order that is not done, or behind the end. */
export function createOrderedPlace() {
  let place: OrderedPlace = { log: "", seq: 1 };
  let log: LogId = "";
  let left = 0;
  return {
    see(event: Event): void {
      if (event.kind === "opened") ({ log } = event);
      // What stands before it was another one's to do.
      if (event.kind === "branch" && event.origin !== undefined) left = 0;
      if (ordersIn(event).length > 0 && left++ === 0) place = { log, seq: event.seq };
      if (event.kind === "observed" && event.message && orderIn(event.message)) {
        left = Math.max(0, left - 1);
        place = { log: event.of.log, seq: event.of.seq + 1 };
      }
      if (left === 0) place = { log, seq: event.seq + 1 };
    },
    get place() {
      return place;
    },
  };
}
