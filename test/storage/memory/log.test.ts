import { expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { openMemoryLog, readMemoryLog } from "../../../src/storage/memory/log.ts";
import { createMemoryPlace } from "../../../src/storage/memory/place.ts";
import { describeEventLog, said } from "../../past/log/event-log-contract.ts";

describeEventLog("an event log in memory", async () => {
  const kept = createMemoryPlace().of("7");
  let epoch = 0;
  return async () => {
    const past: Event[] = [];
    const log = await openMemoryLog({ kept, epoch: ++epoch, now: () => 0 }, (event) => past.push(event));
    return { log, past };
  };
});

it("an event that was read from memory is the reader's own", async () => {
  const kept = createMemoryPlace().of("7");
  const event = { ...said("first"), details: { list: [1] } };
  const log = await openMemoryLog({ kept, epoch: 1, now: () => 0 }, () => undefined);
  await log.append([event]);
  event.details.list.push(2);
  for (let time = 0; time < 2; time++)
    for await (const read of readMemoryLog(kept, 2)) {
      expect(read).toMatchObject({ details: { list: [1] } });
      Object.assign(read, { details: "changed" });
    }
});
