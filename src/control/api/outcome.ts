// What comes of a person's orders, whether a node carries them out or a command does.

import { isLegionError } from "../../base/errors.ts";
import type { Conversation } from "../../past/conversation.ts";
import type { Resent } from "./routes.ts";

/** Why an agent is paused, as `ps` shows it. */
export const PAUSED = "by Control";

export function changesNothing(order: "pause" | "resume", { halt }: Conversation): boolean {
  return order === "pause" ? halt?.reason === "paused" : !halt;
}

/** What `sending` the dead letter `id` again came to: a refusal of one is none of the others'. */
export async function resentOf(id: string, sending: Promise<readonly string[]>): Promise<Resent> {
  try {
    return { id, outcome: "done", sends: await sending };
  } catch (error) {
    if (!isLegionError(error)) throw error;
    return { id, outcome: "refused", reason: error.message };
  }
}
