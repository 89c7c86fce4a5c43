// Rules that say what an agent does, and whose logs it observes, as the front matter of its definition says it. The rules are
// code of our own: a definition can name them and nothing else.

import { z } from "zod";
import { LegionError } from "../base/errors.ts";
import type { Director } from "../domain/authoring/director.ts";
import { isAgentId, type AgentId } from "../domain/message/message.ts";

const DIRECTORS = ["scribe"] as const;
const AT_LIMIT = ["park", "extracts"] as const;
const OBSERVED = "expected all, or a list of agent ids such as [1, writer]";
const MAX_OBSERVED = 1_000;

const id = z.union([z.string(), z.number()], OBSERVED).transform(String).refine(isAgentId, OBSERVED);

/** Keys of front matter. */
export const directingKeys = {
  director: z.enum(DIRECTORS, `expected ${DIRECTORS.join(" or ")}`).optional(),
  atLimit: z.enum(AT_LIMIT, `expected ${AT_LIMIT.join(" or ")}`).optional(),
  observe: z.union([z.literal("all"), z.array(id).min(1, OBSERVED).max(MAX_OBSERVED)], OBSERVED).optional(),
};

export interface Directing {
  /** Whose rules say what it does; absent: its model does. */
  readonly director?: (typeof DIRECTORS)[number];
  /** Whose logs it observes; only with a director. */
  readonly observe?: "all" | readonly AgentId[];
  /** Where its next model call does not fit into a limit: it parks, or goes on by rules alone. Absent: it parks. */
  readonly atLimit?: (typeof AT_LIMIT)[number];
}

/** What is said of the two goes together. */
export function checkDirecting(
  front: Directing & { readonly protocol?: string },
  context: z.core.$RefinementCtx,
): void {
  const { director, observe, atLimit, protocol } = front;
  const refuse = (key: string, message: string): void =>
    context.addIssue({ code: "custom", path: [key], message, input: front });
  if (observe !== undefined && !director) refuse("observe", "only with `director: scribe`");
  if (atLimit !== undefined && !director) refuse("atLimit", "only with `director: scribe`");
  if (director && observe === undefined) refuse("director", "needs `observe: all`, or a list of agent ids");
  if (director && protocol === "bash") refuse("director", "not for `protocol: bash`; leave it out");
}

/** What front matter says of it. */
export function directingIn({ director, observe, atLimit }: Directing): Directing {
  return { director, observe, atLimit };
}

/** The modules of an agent that says nothing of them; absent: the usual ones. */
export function modulesFor({ director }: Directing): readonly string[] | undefined {
  return director && [director];
}

/** For the plan of agent `agent`. Throws CONFIG where it would observe itself. */
export async function directingOf(
  { director, observe, atLimit = "park" }: Directing,
  agent: AgentId,
): Promise<Omit<Directing, "director"> & { readonly director?: Director }> {
  if (!director) return {};
  if (observe !== "all" && observe?.includes(agent))
    throw new LegionError("CONFIG", `agent ${agent} cannot observe itself: leave it out of \`observe\``);
  const { scribe } = await import("../../modules/memory/scribe/direct.ts");
  return { director: scribe, observe, atLimit };
}
