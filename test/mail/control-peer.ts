import { onTestFinished } from "vitest";
import { createClock } from "../../src/base/clock.ts";
import { CONTROL } from "../../src/domain/message/message.ts";
import type { Backend } from "../../src/storage/contract/backend.ts";
import type { PeerStage } from "./peer-contract.ts";

/** Agent 0 of a legion, as the peer that it is. Whoever opens it next is another process, as far as anybody can tell. */
export async function controlIn(backend: Backend, beside?: PeerStage["beside"]): Promise<PeerStage> {
  const store = await backend.openStore({ durability: "process", clock: createClock() });
  onTestFinished(() => store.close().catch(() => undefined));
  return {
    id: CONTROL,
    send: (delivery) => store.bus.send(delivery),
    async told() {
      const texts: string[] = [];
      for await (const { content } of backend.reader.inbox()) texts.push(content);
      return texts;
    },
    ...(beside && { beside }),
    async restart() {
      await store.close();
      return controlIn(backend, beside);
    },
  };
}
