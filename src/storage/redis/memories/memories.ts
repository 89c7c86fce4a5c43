// The long-term memories of a legion in Redis. Nobody owns one: any process takes in what is sent there, by scripts that decide
// what is new, and no node waits for another one. All of a memory is in one slot of a Cluster; which memories there are stands
// in another. Where Redis lost its end, senders offer again what they sent; what the person changed nobody holds but the memory,
// and it has to be wanted again.

import { LegionError } from "../../../base/errors.ts";
import { NO_SECRETS, type Redactor } from "../../../base/redaction/redactor.ts";
import { inTurnsEach } from "../../../base/turns.ts";
import { isMemoryId, parseMemoryId, type MemoryId } from "../../../domain/memory/memory-id.ts";
import { CONTROL } from "../../../domain/message/message.ts";
import type { Memories, PlanChange } from "../../contract/memory/memories.ts";
import { createPost } from "../mail/post.ts";
import { agentKeys, legionKeys } from "../scripts/keys.ts";
import type { LegionPlace, RedisPlace } from "../scripts/scope.ts";
import { hurryErasing } from "./erasing.ts";
import { indexed, readThrough } from "../../search/remembered.ts";
import { createRedisMemoryReader, readerAt } from "./reading.ts";
import {
  addToMemory,
  incomingRecord,
  receiveRecords,
  type IncomingRecord,
  type MemoryTerms,
} from "./writing.ts";

export interface RedisMemoriesOptions extends LegionPlace {
  /** Default: the real time. */
  readonly now?: () => number;
  /** Of what the person adds; what agents send was redacted by them. Absent: nothing is hidden. */
  readonly redactor?: Redactor;
  /** The folder of a memory's index on this machine; absent: what is searched is read through. */
  readonly indexes?: (memory: MemoryId) => string;
}

/** How often a change is planned anew because somebody else wrote meanwhile. */
const MAX_TRIES = 20;

/** The link is the caller's, also after `close`. Nothing is asked before something is wanted. */
export function createRedisMemories(options: RedisMemoriesOptions): Memories {
  const { link, legion, now = Date.now, redactor = NO_SECRETS } = options;
  const timeNow = (): string => new Date(now()).toISOString();
  const placeOf = (id: MemoryId): RedisPlace => {
    parseMemoryId(id);
    return { link, legion, agent: id };
  };
  const list = createList(options);
  const post = createPost(async (id, records: readonly IncomingRecord[]) =>
    receiveRecords(placeOf(id), records, { ...(await list.enter(id)), at: timeNow() }),
  );
  const change = async (id: MemoryId, plan: PlanChange): Promise<void> => {
    const place = placeOf(id);
    const reader = createRedisMemoryReader(place);
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const standing = await reader.standing();
      const planned = await plan(standing, readerAt(reader, standing));
      if (planned.length === 0) return;
      const events = redactor.value(planned);
      const { durability } = await list.enter(id);
      const { last } = standing;
      if (!(await addToMemory(place, events, { durability, last, at: timeNow() }))) continue;
      if (events.some(({ kind }) => kind === "forgotten")) await hurryErasing(link);
      return;
    }
    throw new LegionError("STORAGE", `Others wrote to the memory ${id} all the time; try again.`);
  };
  const changes = createChanges();
  const memories: Omit<Memories, "search"> = {
    known: list.known,
    read: (id) => createRedisMemoryReader(placeOf(id)),
    async receive(id, delivery) {
      placeOf(id);
      const record = incomingRecord(delivery, timeNow());
      await changes.settled(id);
      return post(id, record);
    },
    change: async (id, plan) => changes.run(id, () => change(id, plan)),
    close: async () => list.close(),
  };
  return options.indexes ? indexed(memories, options.indexes) : readThrough(memories);
}

/** While a change is decided, this process sends nothing to the memory: only others could have it decided anew. */
function createChanges() {
  const inTurn = inTurnsEach();
  const newest = new Map<MemoryId, Promise<unknown>>();
  return {
    async run(id: MemoryId, change: () => Promise<void>): Promise<void> {
      const made = inTurn(id, change);
      newest.set(id, made);
      try {
        await made;
      } finally {
        if (newest.get(id) === made) newest.delete(id);
      }
    },
    settled: async (id: MemoryId): Promise<void> => {
      await newest.get(id)?.catch(() => undefined);
    },
  };
}

/** Which memories there are. */
function createList({ link, legion }: LegionPlace) {
  const { memories } = legionKeys(legion);
  const entered = new Map<MemoryId, Promise<MemoryTerms>>();
  // Where a server may have lost something, that may have been the list.
  const stop = link.onReturn(() => entered.clear());
  const enter = async (id: MemoryId): Promise<MemoryTerms> => {
    const [added, durability] = await Promise.all([
      link.command("SADD", memories, id),
      link.command("HGET", agentKeys(legion, CONTROL).meta, "durability"),
    ]);
    const before = added === 1 ? "nothing" : "perhaps lost";
    return { durability: durability === "always" ? "always" : "weak", before };
  };
  return {
    /** Before anything is written to a memory, it is in the list. */
    enter(id: MemoryId): Promise<MemoryTerms> {
      const known = entered.get(id);
      if (known) return known;
      const entering = enter(id);
      entered.set(id, entering);
      entering.catch(() => entered.delete(id));
      return entering;
    },
    /** In the order of their names; those that are written to. */
    async known(): Promise<readonly MemoryId[]> {
      // Any program may have written there.
      const ids = ((await link.command("SMEMBERS", memories)) as readonly string[]).filter(isMemoryId).sort();
      const written = await Promise.all(ids.map((id) => link.command("EXISTS", agentKeys(legion, id).log)));
      return ids.filter((_, index) => written[index] === 1);
    },
    close: stop,
  };
}
