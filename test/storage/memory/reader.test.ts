import { CONTROL, type AgentId } from "../../../src/domain/message/message.ts";
import type { EventLog } from "../../../src/past/log/event-log.ts";
import { createMemoryBus } from "../../../src/storage/memory/bus.ts";
import { openMemoryLog } from "../../../src/storage/memory/log.ts";
import { createMemoryPlace } from "../../../src/storage/memory/place.ts";
import { createMemoryReader } from "../../../src/storage/memory/reader.ts";
import { describeReader } from "../contract/reader-contract.ts";

describeReader("memory", () => {
  const place = createMemoryPlace();
  const reader = createMemoryReader(place);
  const logs = new Map<AgentId, EventLog>();
  const agents = new Set<AgentId>([CONTROL]);
  const logOf = async (agent: AgentId): Promise<EventLog> => {
    const open = () => openMemoryLog({ kept: place.of(agent), epoch: 1, now: () => 0 }, () => undefined);
    const log = logs.get(agent) ?? (await open());
    logs.set(agent, log);
    return log;
  };
  const watermarks = () => Promise.resolve({ taken: 0, seen: new Map<string, number>() });
  const bus = createMemoryBus(place, { watermarks });
  return Promise.resolve({
    reader,
    enlist: (agent, record) => {
      agents.add(agent);
      place.of(agent).record = JSON.stringify(record);
      return Promise.resolve();
    },
    append: async (agent, events) => void (await (await logOf(agent)).append(events)),
    keep: async (agent, text) => void (await place.of(agent).blobs.keep(text)),
    deliver: async (delivery) => void (await bus.send(delivery)),
    async gather() {
      const waiting = await reader.unread(CONTROL, await reader.ledger(CONTROL));
      const taken = waiting.map(
        ({ position, ...mail }) => ({ kind: "message", ...mail, mail: position }) as const,
      );
      await (await logOf(CONTROL)).append(taken);
    },
    snapshot: () =>
      Promise.resolve([...agents].map((agent) => JSON.stringify([place.of(agent), place.known()]))),
  });
});
