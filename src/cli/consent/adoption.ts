// What somebody else wrote, and the person's word that it counts.

import type { LegionOptions } from "../../legion/legion.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { foreign } from "../../storage/contract/foreign.ts";
import type { Io, Typed } from "../kit/command.ts";
import { canAsk, confirm } from "./confirm.ts";
import { namesOf, oneLine } from "../kit/output.ts";

/** Shall a start take on what somebody else wrote? By `--trust`, or asked at a terminal where there is something. */
export async function readAdoption(
  reader: Reader,
  { options }: Pick<Typed, "options">,
  io: Io,
): Promise<LegionOptions["foreign"]> {
  if (options["trust"]) return "adopt";
  if (!canAsk(io)) return undefined;
  const strangers: AgentId[] = [];
  for (const id of [CONTROL, ...(await reader.known())])
    if (await reader.isForeign(id).catch(() => false)) strangers.push(id);
  if (strangers.length === 0) return undefined;
  const question = `What is kept here of ${namesOf(strangers)} was not written on your machines. Take it on as if it were?`;
  return (await confirm(question, io)) ? "adopt" : undefined;
}

/** Tells the person, beside what is shown of an agent, that somebody else wrote it. */
export async function remarkForeign(reader: Reader, id: AgentId, io: Io): Promise<void> {
  if (await reader.isForeign(id)) io.stderr.write(`legion: FOREIGN: ${oneLine(foreign(id).message)}\n`);
}
