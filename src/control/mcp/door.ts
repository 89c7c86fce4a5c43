// What programs may ask of a legion: nothing that only a person may say is here.

import type { Rules } from "../../../modules/memory/prompts/rules.ts";
import type { KnownDefinition } from "../../config/known-definitions.ts";
import { LegionError } from "../../base/errors.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { resolveKnown } from "../api/orders.ts";
import type { LegionSite } from "../api/legion-client.ts";
import type { SpawnAnswer, SpawnQuestion } from "../api/routes.ts";

export interface ProgramDoor {
  readonly site: LegionSite;
  /** Rejects as `Spawner.spawn`, with REFUSED if nobody may run the legion for it. */
  spawn(order: SpawnQuestion): Promise<SpawnAnswer>;
  /** Has those of `agents` run that nobody runs; resolves with why not of those that do not, in a line each. */
  wake(agents: readonly AgentId[]): Promise<readonly string[]>;
  /** By what rules a scribe of this project would be asked now. Rejects with CONFIG, in a line that names the file, where one cannot be read. */
  rules(): Promise<Rules>;
  /** What agents can be made of. */
  definitions(): Promise<readonly KnownDefinition[]>;
}

/** The ids of `named`, each once. Rejects with USAGE, naming the known ids, unless all of them are agents. */
export async function knownAgents(
  { site }: Pick<ProgramDoor, "site">,
  named: readonly string[],
): Promise<readonly AgentId[]> {
  const known = await site.backend.reader.known();
  if (known.length === 0) throw new LegionError("USAGE", "there are no agents yet; spawn makes one");
  return resolveKnown(named, known);
}
