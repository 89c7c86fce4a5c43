// What holds for the calls of each agent: its own policy, those of others as they are now, and how questions are asked.

import { z } from "zod";
import type { QuestionSettings, ProgramGate, Rulebook } from "../agent/parts/rulebook.ts";
import { isLegionError } from "../base/errors.ts";
import { fieldsOf, readJson } from "../base/text/json.ts";
import type { AgentId } from "../domain/message/message.ts";
import { joinPolicies, PROFILES, type Policy, type PolicyLayer } from "../domain/policy/policy.ts";
import type { RulePlaces } from "../domain/policy/rule.ts";

export interface Rules {
  /** Absolute path of `~`. */
  readonly home: string;
  readonly questions: QuestionSettings;
  /** Did the person say that this is always allowed? */
  readonly isAnswered: Rulebook["isAnswered"];
  readonly program?: ProgramGate;
}

/** What an agent may do that this process is able to run. */
export interface HostedPolicy {
  readonly identity: { readonly id: AgentId };
  readonly policy: readonly PolicyLayer[];
}

/** Whose rulebook it is. */
export interface RuledAgent {
  readonly policy: readonly PolicyLayer[];
  readonly isListed?: Rulebook["isListed"];
  readonly workplace: {
    /** In `root`, absolute, a relative path begins that a rule names, whoever wrote the rule. */
    readonly workspace: { readonly root: string };
    readonly environment: { readonly isSandbox: boolean };
  };
}

export const DEFAULT_QUESTIONS: QuestionSettings = { mode: "wait", expireMs: 86_400_000 };

const texts = z.array(z.string()).optional();
const layerSchema = z.object({
  by: z.string(),
  as: z.enum(["person", "anybody"]),
  profile: z.enum(PROFILES).optional(),
  deny: texts,
  ask: texts,
  allow: texts,
});
const recordSchema = z.object({ policy: z.array(layerSchema) });

/** What an agent may do of whom nothing is known. */
const UNKNOWN: readonly PolicyLayer[] = [{ by: "an agent that is gone", as: "person", profile: "read-only" }];

/** @param recordOf what is kept of an agent, as JSON; `undefined` if nothing is */
export function createRulebooks(
  rules: Rules,
  plans: readonly HostedPolicy[],
  recordOf: (agent: AgentId) => Promise<string | undefined>,
): (agent: RuledAgent) => Rulebook {
  const { home, ...shared } = rules;
  const policiesIn = (places: RulePlaces): Rulebook["of"] => {
    const joined = new Map<readonly PolicyLayer[], Policy>();
    const joinOnce = (policy: readonly PolicyLayer[]): Policy => {
      const known = joined.get(policy) ?? joinPolicies(policy, places);
      joined.set(policy, known);
      return known;
    };
    const hosted = new Map(plans.map(({ identity, policy }) => [identity.id, policy]));
    const read = new Map<AgentId, { readonly record: string | undefined; readonly policy: Policy }>();
    return async (agent) => {
      const own = hosted.get(agent);
      if (own) return joinOnce(own);
      const record = await recordOf(agent);
      const known = read.get(agent);
      if (known && known.record === record) return known.policy;
      const policy = policyIn(record, places);
      read.set(agent, { record, policy });
      return policy;
    };
  };
  /** Of agents that work in the same folder. */
  const opened = new Map<string, Rulebook["of"]>();
  return ({ policy, isListed, workplace: { workspace, environment } }) => {
    const places = { workspace: workspace.root, home };
    const of = opened.get(places.workspace) ?? policiesIn(places);
    opened.set(places.workspace, of);
    const { isSandbox: isSandboxed } = environment;
    return { ...shared, isListed, isSandboxed, own: joinPolicies(policy, places), of };
  };
}

/** Of an agent that calls nothing, as one that is replayed. */
export const CLOSED_RULEBOOK: Rulebook = {
  own: joinPolicies(UNKNOWN, { workspace: "/", home: "/" }),
  of: () => Promise.resolve(CLOSED_RULEBOOK.own),
  isAnswered: () => Promise.resolve(false),
  isSandboxed: false,
  questions: DEFAULT_QUESTIONS,
};

/** What somebody broke counts as nothing: then an agent may only read. */
function policyIn(record: string | undefined, places: RulePlaces): Policy {
  const said = recordSchema.safeParse(fieldsOf(readJson(record ?? ""))).data?.policy ?? UNKNOWN;
  try {
    return joinPolicies(said, places);
  } catch (error) {
    if (isLegionError(error, "USAGE")) return joinPolicies(UNKNOWN, places);
    throw error;
  }
}
