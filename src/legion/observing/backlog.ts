// What was said in the logs that an agent observes, and waits there until it is taken in.

import type { ObservedEvent } from "../../domain/event/observed.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { isSeen, type ObservedMarks } from "../../past/observed/marks.ts";
import type { OrderedPlace } from "../../past/observed/orders.ts";
import { createJoining } from "./joining.ts";
import { createReading, createRoll, type Observation, type UnheardMessage } from "./reading.ts";

/** What an observer's own log says when it is opened. */
export interface ObserverPast {
  readonly marks: ObservedMarks;
  readonly ordered: OrderedPlace;
  readonly beganMs: number;
}

/** What is known to wait: the oldest of it, as much as is read ahead. */
export function createBacklog(place: Observation, { marks, ordered, beganMs }: ObserverPast) {
  const reading = createReading(place, marks, ordered);
  const roll = createRoll(place);
  const joined = createJoining(place, marks, beganMs);
  const { unread } = joined;
  let joins: readonly ObservedEvent[] = [];
  let messages: readonly UnheardMessage[] = [];
  /** Whose logs have more than was read. */
  let cut: readonly AgentId[] = [];
  return {
    join: async (): Promise<readonly ObservedEvent[]> => joined.begin(await roll()),
    get joins() {
      return joins;
    },
    get messages() {
      return messages;
    },
    get size() {
      return joins.length + messages.length;
    },
    /** Is there a log that could not be read when it was looked at last? */
    isBlocked: () => unread.size > 0,
    /** Reads on where something was said. Returns whether there is more than it read. */
    async look(rung: ReadonlySet<AgentId> | "all"): Promise<boolean> {
      const agents = await roll();
      joins = await joined.goOn(agents);
      const found: UnheardMessage[] = [];
      const left: AgentId[] = [];
      const isRung = (agent: AgentId): boolean => rung === "all" || rung.has(agent) || cut.includes(agent);
      for (const agent of [...agents, place.observer]) {
        const isNew = joins.some(({ of }) => of.agent === agent);
        if (isNew) reading.forget(agent);
        const isKnown = agent === place.observer || marks.places.has(agent);
        const isDue = !isNew && isKnown && (isRung(agent) || unread.delete(agent));
        const part = isDue ? await reading.readOn(agent, agents) : undefined;
        if (part === "unreadable") unread.add(agent);
        else if (part === "other") {
          joined.doubt(agent);
          reading.forget(agent);
          left.push(agent);
        } else {
          found.push(...(part?.found ?? []));
          if (isNew || part?.isCut) left.push(agent);
        }
      }
      cut = left;
      messages = found.sort((a, b) => a.at.localeCompare(b.at));
      return cut.length > 0;
    },
    drop({ of, control, message }: ObservedEvent): void {
      if (control === "observe") joins = joins.filter((one) => one.of.agent !== of.agent);
      if (message) messages = messages.filter((one) => !isSeen(marks, one.message, one.from));
    },
  };
}
