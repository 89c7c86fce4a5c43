// Whom an agent does not hear although its definition names them.

import type { Roster } from "../../../legion/roster.ts";
import { displayName, type AgentId } from "../../../domain/message/message.ts";
import type { Reader } from "../../../storage/contract/reader.ts";
import type { Io } from "../../kit/command.ts";
import { namesOf, warn } from "../../kit/output.ts";

/** One line for each agent that observes somebody who observes others: such logs are left out, whoever names them. */
export async function warnOfUnheard(
  { roles }: Pick<Roster, "roles">,
  { record }: Pick<Reader, "record">,
  io: Pick<Io, "stderr">,
): Promise<void> {
  const directed = new Map(roles.map(({ plan }) => [plan.identity.id, plan.director !== undefined]));
  const isObserver = async (id: AgentId): Promise<boolean> =>
    directed.get(id) ?? (await record(id)).director !== undefined;
  for (const { plan } of roles) {
    const { observe, identity } = plan;
    if (observe === undefined || observe === "all") continue;
    const judged = await Promise.all(observe.map(async (id) => ((await isObserver(id)) ? [id] : [])));
    const unheard = judged.flat();
    if (unheard.length === 0) continue;
    const who = unheard.length === 1 ? "it observes others itself" : "they observe others themselves";
    warn(
      io,
      `${displayName(identity.id)} does not hear ${namesOf(unheard)}, whom \`observe\` in its definition names: ${who}`,
    );
  }
}
