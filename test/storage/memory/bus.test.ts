import { expect, it } from "vitest";
import { CONTROL, parseMessageId, type AgentId, type LogId } from "../../../src/domain/message/message.ts";
import { createMemoryBus } from "../../../src/storage/memory/bus.ts";
import { createMemoryPlace, type MemoryPlace } from "../../../src/storage/memory/place.ts";
import { describeBus } from "../../mail/bus-contract.ts";
import { letter, type BusStage } from "../../mail/letter.ts";

type Marks = ReadonlyMap<AgentId, { taken: number; held: number; readonly seen: Map<LogId, number> }>;

function openStage(place: MemoryPlace, marks: Marks): BusStage {
  const bus = createMemoryBus(place, {
    watermarks: (agent) => Promise.resolve(marks.get(agent)),
    held: (agent) => marks.get(agent)?.held ?? 0,
  });
  return {
    bus,
    takeIn(agent, inbox, mail, as) {
      const mark = marks.get(agent)!;
      if (as === "held") mark.held += mail.length;
      for (const { position, from, message } of mail) {
        mark.taken = position;
        mark.seen.set(from, parseMessageId(message.id).n);
      }
      inbox.taken(mark.taken);
      return Promise.resolve();
    },
    async restart(how) {
      if (how === "closed") await bus.close();
      return openStage(place, marks);
    },
  };
}

describeBus("a bus in memory", () => {
  const marks = new Map(
    ["a", "b", "c", "d", CONTROL].map((id) => [id, { taken: 0, held: 0, seen: new Map() }]),
  );
  return Promise.resolve(openStage(createMemoryPlace(), marks));
});

it("keeps what a message had said when it was accepted, whatever its sender does to the details later", async () => {
  const marks = new Map([["a", { taken: 0, held: 0, seen: new Map() }]]);
  const { bus } = openStage(createMemoryPlace(), marks);
  const details = { files: ["one"] };
  const { message, from } = letter("a", 1);
  await bus.send({ from, message: { ...message, details } });
  details.files.push("another");
  const [mail] = (await bus.open("a")).peek(Infinity);
  expect(mail?.message.details).toEqual({ files: ["one"] });
});
