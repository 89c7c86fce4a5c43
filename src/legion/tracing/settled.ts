// What leaves this machine of the logs of this process: nothing that a power cut could still take away (L4).

import type { Memory } from "../../past/past.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { Supervised } from "../supervision/supervisor.ts";

type LogReader = Pick<Reader, "events" | "last">;

/**
 * `reader`, which waits until what it gives is as durable as its log promises; where that fails, what it has given is all there is.
 *
 * @param agents those that run in this process
 */
export function settledReader(
  reader: LogReader,
  agents: ReadonlyMap<AgentId, Pick<Supervised, "agent">>,
): LogReader {
  const memoryOf = (agent: AgentId): Memory | undefined => agents.get(agent)?.agent?.memory;
  const isSafe = async (memory: Memory | undefined, seq: number): Promise<boolean> => {
    // What another process wrote since it took the agent over is not ours to settle.
    if (!memory || seq <= memory.safe || seq > memory.ledger.last) return true;
    await memory.settled().catch(() => undefined);
    return seq <= memory.safe;
  };
  return {
    async *events(agent, from) {
      for await (const event of reader.events(agent, from)) {
        if (!(await isSafe(memoryOf(agent), event.seq))) return;
        yield event;
      }
    },
    async last(agent) {
      const last = await reader.last(agent);
      const memory = memoryOf(agent);
      return (await isSafe(memory, last)) ? last : memory!.safe;
    },
  };
}
