// Hands a memory over: from now on the shards of another agent count.

import { displayName } from "../../domain/message/message.ts";
import { printJson, printRows } from "../kit/output.ts";
import { checkAgent } from "../kit/target.ts";
import { findMemory, type Ordered } from "./order.ts";

export async function order(ordered: Ordered): Promise<number> {
  const { typed, io, site } = ordered;
  const agent = await checkAgent(site, typed.args[0]!);
  const { id } = await findMemory(ordered);
  let before: string | undefined;
  await site.backend.memories.change(id, ({ keeper }) => {
    before = keeper;
    return Promise.resolve(keeper === agent ? [] : [{ kind: "kept", by: agent }]);
  });
  if (typed.options["json"]) printJson(io, { memory: id, keeper: agent, before: before ?? null });
  else printRows(io, said(id, agent, before));
  return 0;
}

function said(id: string, agent: string, before: string | undefined): string {
  const name = displayName(agent);
  if (before === agent) return `${name} keeps ${id} already.`;
  const whose = before === undefined ? "nobody kept it before" : `${displayName(before)} did before`;
  return `${name} keeps ${id} from now on; ${whose}.`;
}
