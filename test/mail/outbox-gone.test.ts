import { beforeEach, expect, it, onTestFinished } from "vitest";
import { compose } from "../../src/mail/compose.ts";
import type { EventOf } from "../../src/domain/event/event.ts";
import type { Memory } from "../../src/past/past.ts";
import type { AgentId, Delivery } from "../../src/domain/message/message.ts";
import { createOutbox, type Outbox } from "../../src/mail/outbox.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { openFileStore, type FileStore } from "../../src/storage/files/store.ts";
import { UNHOSTED } from "../../src/storage/contract/store.ts";
import { createHandClock } from "../hand-clock.ts";
import { createTempProject } from "../temp-project.ts";

let project: string;
let store: FileStore;
let memory: Memory;
/** Who is there no more. */
let gone: AgentId[];
/** Whose mailbox takes nothing. */
let full: AgentId[];
let offered: string[];

const clock = createHandClock();

async function open(): Promise<void> {
  const hosted = new Set(["1", "2", "3"]);
  const opening = { paths: legionPaths(project), role: "node", durability: "process", hosted } as const;
  const opened = await openFileStore({ ...opening, clock, inspect: () => undefined });
  onTestFinished(() => opened.close().catch(() => undefined));
  store = opened;
  memory = await store.openAgent("1", UNHOSTED);
}

beforeEach(async () => {
  project = await createTempProject();
  [gone, full, offered] = [[], [], []];
  await open();
});

function outbox(): Outbox {
  const send = async (delivery: Delivery) => {
    const { id, targetAgentIds } = delivery.message;
    offered.push(id);
    const [to = ""] = targetAgentIds;
    if (gone.includes(to)) return { status: "unknown" } as const;
    return full.includes(to) ? ({ status: "full" } as const) : store.bus.send(delivery);
  };
  const created = createOutbox(memory, { send }, clock);
  onTestFinished(() => created.close());
  return created;
}

async function commit(content: string, to: AgentId): Promise<void> {
  const sends = compose(memory, { from: "1", to: [to], content }, [], 0);
  await memory.commit({ kind: "notice", reason: "said", content: "", sends });
}

async function kept(): Promise<EventOf<"notice">[]> {
  const notices: EventOf<"notice">[] = [];
  for await (const event of memory.read())
    if (event.kind === "notice" && event.reason === "undeliverable") notices.push(event);
  return notices;
}

async function mailOf(agent: AgentId): Promise<string[]> {
  const inbox = await store.bus.open(agent);
  const contents = inbox.peek(Infinity).map(({ message }) => message.content);
  await inbox.close();
  return contents;
}

it("is held up by no recipient that is gone: the message is kept, and the position goes on", async () => {
  gone = ["3"];
  await commit("lost", "3");
  await commit("hello", "2");
  const delivering = outbox();
  await delivering.deliver();
  expect(delivering.undelivered()).toEqual([]);
  expect(memory.ledger.undelivered).toEqual([]);
  expect(await mailOf("2")).toEqual(["hello"]);
  expect(await kept()).toMatchObject([
    {
      content: "Message 1>3#1 could not be delivered. There is no agent 3 any more.",
      details: { message: { id: "1>3#1", content: "lost" }, why: "There is no agent 3 any more." },
    },
  ]);
});

it("tries a message that is kept no more, also where a restart finds one before it still undelivered", async () => {
  full = ["2"];
  gone = ["3"];
  await commit("waits", "2");
  await commit("lost", "3");
  const first = outbox();
  await first.deliver();
  expect(first.undelivered().map(({ message }) => message.content)).toEqual(["waits"]);
  await first.close();
  await memory.close();
  await store.close();

  [full, gone, offered] = [[], [], []];
  await open();
  await outbox().deliver();
  expect(offered).toEqual(["1>2#1"]);
  expect(await mailOf("3")).toEqual([]);
  expect(await kept()).toHaveLength(1);
  expect(memory.ledger.undelivered).toEqual([]);
});

it("does not deliver what is kept when its recipient comes back with its past: only a person sends it again", async () => {
  const delivering = outbox();
  await commit("one", "3");
  await delivering.deliver();
  gone = ["3"];
  await commit("two", "3");
  await delivering.deliver();
  gone = [];
  await commit("three", "3");
  await delivering.deliver();
  expect(await mailOf("3")).toEqual(["one", "three"]);
  expect(await kept()).toHaveLength(1);
});
