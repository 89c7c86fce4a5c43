// Has whoever makes the context of a memory make it of what was said until now.

import { LegionError } from "../../base/errors.ts";
import { withLegion } from "../../control/open.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { FLUSH } from "../../past/observed/invocations.ts";
import { printJson, printRows } from "../kit/output.ts";
import { findMemory, type MeantMemory, type Ordered } from "./order.ts";

const SCRIBE: AgentId = "scribe";

export async function order(ordered: Ordered): Promise<number> {
  const { typed, io, site } = ordered;
  const memory = await findMemory(ordered);
  const agent = await makerOf(memory, await site.reader.known());
  await withLegion(site, (legion) => legion.say({ targets: [agent], content: FLUSH, delivery: "normal" }));
  if (typed.options["json"]) printJson(io, { memory: memory.id, agent });
  else
    printRows(
      io,
      `${displayName(agent)} makes the context of ${memory.id} of what was said until now, as soon as it runs.`,
    );
  return 0;
}

/** Its keeper, or who will be that. Throws USAGE. */
async function makerOf({ id, reader }: MeantMemory, known: readonly AgentId[]): Promise<AgentId> {
  const { keeper = SCRIBE } = await reader.standing();
  if (known.includes(keeper)) return keeper;
  throw new LegionError(
    "USAGE",
    `nobody here makes the context of ${id}; \`legion start --scribe\` hosts who does`,
  );
}
