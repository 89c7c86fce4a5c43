import { expect, it, onTestFinished } from "vitest";
import { compose } from "../src/compose.ts";
import { createOutbox } from "../src/outbox.ts";
import { legionPaths } from "../src/paths.ts";
import { UNHOSTED, openStore } from "../src/store.ts";
import { createHandClock } from "./hand-clock.ts";
import { createTempProject } from "./temp-project.ts";

it("is held up by no recipient that is gone: the message is reported, and the position goes on", async () => {
  const clock = createHandClock();
  const paths = legionPaths(await createTempProject());
  const hosted = new Set(["1", "2", "3"]);
  const opening = { paths, role: "node", durability: "process", hosted, clock } as const;
  const store = await openStore({ ...opening, inspect: () => undefined });
  onTestFinished(() => store.close().catch(() => undefined));
  const memory = await store.openAgent("1", UNHOSTED);
  const outbox = createOutbox(
    memory,
    {
      send: (delivery) =>
        delivery.message.id.startsWith("1>3#")
          ? Promise.resolve({ status: "unknown" })
          : store.bus.send(delivery),
    },
    clock,
  );
  const sends = compose(memory.ledger, { from: "1", to: ["3", "2"], content: "hello" }, [], 0);
  await memory.commit({ kind: "notice", reason: "said", content: "", sends });
  await outbox.deliver();
  expect(outbox.undelivered()).toEqual([]);
  expect(memory.ledger.undelivered).toEqual([]);
  expect(await store.bus.unread("2")).toBe(1);
  const notices = [];
  for await (const event of memory.read()) if (event.kind === "notice") notices.push(event);
  expect(notices.at(-1)).toMatchObject({
    reason: "undeliverable",
    content: "Message 1>3#1 could not be delivered: there is no agent 3 any more.",
  });
});
