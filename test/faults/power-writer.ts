// Writes to a project until it is killed, and tells its parent what was acknowledged: two agents that write to each other,
// every now and then something too long for a line.

import { createClock } from "../../src/base/clock.ts";
import { compose } from "../../src/mail/compose.ts";
import type { Inspection } from "../../src/domain/inspection.ts";
import type { Durability } from "../../src/storage/contract/node.ts";
import type { Reception } from "../../src/mail/bus.ts";
import type { AgentId, Delivery } from "../../src/domain/message/message.ts";
import { createOutbox } from "../../src/mail/outbox.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { openFileStore, type FileStore } from "../../src/storage/files/store.ts";
import { UNHOSTED } from "../../src/storage/contract/store.ts";
import { sha256 } from "../../src/past/log/blobs.ts";

export type Acknowledged =
  | { readonly kind: "event"; readonly agent: AgentId; readonly seq: number; readonly hash: string }
  | { readonly kind: "mail"; readonly to: AgentId; readonly id: string };

const [project = "", durability] = process.argv.slice(2);
const clock = createClock();
const tell = (acknowledged: Acknowledged): void => void process.send?.(acknowledged);
const inspect = (inspection: Inspection): void => {
  if (inspection.kind !== "event" || inspection.event.kind !== "notice") return;
  const { agent, event } = inspection;
  tell({ kind: "event", agent, seq: event.seq, hash: sha256(JSON.stringify(event)) });
};

async function write(store: FileStore, from: AgentId, to: AgentId): Promise<never> {
  const memory = await store.openAgent(from, UNHOSTED);
  const send = async (delivery: Delivery): Promise<Reception> => {
    const receipt = await store.bus.send(delivery);
    if (receipt.status === "accepted") tell({ kind: "mail", to, id: delivery.message.id });
    return receipt;
  };
  const outbox = createOutbox(memory, { send }, clock);
  for (let n = 1; ; n++) {
    const content = `${n} `.repeat(n % 20 === 0 ? 30_000 : n % 100);
    // Nobody hears of it before it is flushed, whoever asks for that.
    await memory.keep({ kind: "notice", reason: "resumed", content });
    if (n % 3 === 0) await memory.settled();
    await memory.commit({
      kind: "notice",
      reason: "said",
      content,
      sends: compose(memory, { from, to: [to], content: String(n) }, [], 0),
    });
    await outbox.deliver();
  }
}

const hosted = new Set<AgentId>(["1", "2"]);
const store = await openFileStore({
  paths: legionPaths(project),
  role: "node",
  durability: durability as Durability,
  clock,
  inspect,
  hosted,
});
await Promise.race([write(store, "1", "2"), write(store, "2", "1")]);
