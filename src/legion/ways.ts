// With which actions an agent acts, and how it writes them.

import { deniedActions, onlyActions, withoutActions } from "./hosting/agent-policy.ts";
import { indexActions } from "../agent/parts/module-set.ts";
import type { Way, Ways } from "../agent/parts/speech.ts";
import { LegionError } from "../base/errors.ts";
import { onceEach } from "../base/once-each.ts";
import type { Definition, Places } from "../config/definition.ts";
import type { MemoryChoice } from "../config/files/settings.ts";
import { loadModules, type ModulePlaces } from "../config/module-loader.ts";
import type { Model } from "../domain/model.ts";
import type { PolicyLayer } from "../domain/policy/policy.ts";
import type { Protocol } from "../model/protocol/protocol.ts";
import { textProtocol } from "../model/protocol/text.ts";
import { toolsProtocol } from "../model/protocol/tools.ts";

/** What of an agent its actions depend on, beside its definition. */
export interface Acting {
  readonly memory: Pick<MemoryChoice, "forgetErrors">;
  /** Its modules, by name or path. */
  readonly references: readonly string[];
  /** Each list leaves it with no other actions; without one it has all of its modules. */
  readonly narrowed: readonly (readonly string[])[];
  readonly policy: readonly PolicyLayer[];
}

/** As `loadModules` takes them. */
type ActionPlaces = Places & ModulePlaces;

const PROTOCOLS = { text: textProtocol, tools: toolsProtocol } satisfies Record<string, Protocol>;

interface IndexKey extends Pick<Acting, "references" | "narrowed"> {
  readonly protocol: keyof typeof PROTOCOLS;
  readonly denied: readonly string[];
}

/**
 * Returns what says how an agent acts; agents with the same modules share their actions. That throws CONFIG if the model does
 * not know the protocol that is wanted, or a list names an action that there is not.
 */
export function createWays(places: ActionPlaces) {
  const indexes = onceEach(async (key) => {
    const { protocol, references, narrowed, denied } = JSON.parse(key) as IndexKey;
    const modules = await loadModules(references, places);
    const left = narrowed.reduce(onlyActions, modules);
    return indexActions(withoutActions(left, denied), PROTOCOLS[protocol]);
  });
  const wayOf = async (
    protocol: keyof typeof PROTOCOLS,
    { memory, references, narrowed, policy }: Acting,
  ): Promise<Way> => {
    const key: IndexKey = { protocol, references, narrowed, denied: deniedActions(policy) };
    const actions = await indexes(JSON.stringify(key));
    const errors = (memory.forgetErrors ?? protocol === "text") ? "forget" : "keep";
    return { protocol: PROTOCOLS[protocol], actions, errors };
  };
  return async (definition: Definition, model: Model, acting: Acting): Promise<Ways> => {
    const protocol = protocolFor(definition, model);
    const mayChange = definition.protocol === "auto" && protocol === "tools";
    const withoutTools = mayChange ? await wayOf("text", acting) : undefined;
    return { ...(await wayOf(protocol, acting)), withoutTools, receipts: definition.receipts };
  };
}

function protocolFor({ name, protocol }: Definition, model: Model): keyof typeof PROTOCOLS {
  const { tools } = model.profile;
  if (protocol !== "tools" || tools) return protocol === "text" || !tools ? "text" : "tools";
  const advice = "write `protocol: auto` or `text`";
  throw new LegionError("CONFIG", `agent "${name}": ${model.name} cannot call tools; ${advice}`);
}
