// A start of very many agents of one definition makes it once: they share all but their names.

import { displayName } from "../../../domain/message/message.ts";
import type { Member } from "../../../config/definition.ts";
import type { AgentPlan } from "../agent-plan.ts";

interface CastMember {
  readonly plan: AgentPlan;
}

/**
 * Has `cast` make one of those members that differ in nothing but their ids, and come after each other; of it the others are made.
 *
 * @param who what a program gives is no plain value, and is cast one by one
 */
export function inLikeness<R extends CastMember>(
  cast: (member: Member) => Promise<R>,
  { kind }: { readonly kind: string },
): (member: Member) => Promise<R> {
  if (kind === "given") return cast;
  let before: { readonly said: string; readonly role: R } | undefined;
  return async ({ id, ...rest }) => {
    const said = JSON.stringify(rest);
    if (before?.said === said) return named(before.role, id);
    const role = await cast({ id, ...rest });
    // Whoever has a director is led by its own.
    before = role.plan.director ? undefined : { said, role };
    return role;
  };
}

function named<R extends CastMember>(role: R, id: Member["id"]): R {
  const { plan } = role;
  return { ...role, plan: { ...plan, identity: { ...plan.identity, id, name: displayName(id) } } };
}
