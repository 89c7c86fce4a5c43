// Has whoever makes the context of a memory make it of what was said until now.

import { LegionError, messageOf } from "../../base/errors.ts";
import { withLegion } from "../../control/open.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { FLUSH } from "../../past/observed/invocations.ts";
import { printJson, printRows, warn } from "../kit/output.ts";
import type { Site } from "../kit/target.ts";
import { findMemory, type MeantMemory, type Ordered } from "./order.ts";

const SCRIBE: AgentId = "scribe";

export async function order(ordered: Ordered): Promise<number> {
  const { typed, io, site } = ordered;
  const memory = await findMemory(ordered);
  const agent = await makerOf(memory, await site.reader.known());
  if (agent === undefined)
    throw new LegionError(
      "USAGE",
      `nobody here makes the context of ${memory.id}; \`legion start --scribe\` hosts who does`,
    );
  await flush(agent, site);
  if (typed.options["json"]) printJson(io, { memory: memory.id, agent });
  else
    printRows(
      io,
      `${displayName(agent)} makes the context of ${memory.id} of what was said until now, as soon as it runs.`,
    );
  return 0;
}

/** Has the sessions end that `agent` is in. */
async function flush(agent: AgentId, site: Site): Promise<void> {
  await withLegion(site, (legion) => legion.say({ targets: [agent], content: FLUSH, delivery: "normal" }));
}

/** The keeper of a memory, or who will be that; `undefined` if it is not here. */
async function makerOf({ reader }: MeantMemory, known: readonly AgentId[]): Promise<AgentId | undefined> {
  const { keeper = SCRIBE } = await reader.standing();
  return known.includes(keeper) ? keeper : undefined;
}

/**
 * Where something was forgotten: a scribe has it before its eyes, as what its sessions began with and what was said in them, until
 * these end. Never rejects.
 */
export async function flushForgotten(memory: MeantMemory, { site, io }: Ordered): Promise<void> {
  try {
    const known = await site.reader.known();
    const maker = await makerOf(memory, known);
    for (const agent of known) {
      const { director, memories = [] } = await site.reader.record(agent);
      const isItsScribe = director !== undefined && (agent === maker || memories[0] === memory.id);
      if (isItsScribe) await flush(agent, site);
    }
  } catch (error) {
    warn(
      io,
      `not every scribe of it was told, and may still be shown it; \`legion memory flush\` tells it (${messageOf(error)})`,
    );
  }
}
