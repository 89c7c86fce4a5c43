// What a plan comes to, in a few characters: whether an agent that rests is still what it was, is known without reading its record.

import { createHash } from "node:crypto";
import type { Redactor } from "../../../base/redaction/redactor.ts";
import { recordOf, type AgentPlan } from "../agent-plan.ts";

/** The same for all that differ in nothing but their names; those who come after each other mostly do. */
export function createPlanHashes(redactor: Redactor): (plan: AgentPlan) => string {
  let newest: { readonly plan: AgentPlan; readonly hash: string } | undefined;
  return (plan) => {
    if (newest && isLike(newest.plan, plan)) return newest.hash;
    const { description, brief } = plan.identity;
    const nameless = { ...plan, identity: { id: "", name: "", description, brief } };
    const hash = createHash("sha256").update(recordOf(nameless, redactor)).digest("hex").slice(0, 16);
    newest = { plan, hash };
    return hash;
  };
}

function isLike(one: AgentPlan, other: AgentPlan): boolean {
  const parts = Object.keys(one) as (keyof AgentPlan)[];
  const isSame = (part: keyof AgentPlan): boolean => part === "identity" || one[part] === other[part];
  const isSameKind = one.identity.description === other.identity.description;
  return isSameKind && parts.length === Object.keys(other).length && parts.every(isSame);
}
