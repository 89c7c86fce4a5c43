import type { AgentId } from "../../domain/message.ts";

export interface Identity {
  readonly id: AgentId;
  /** The display name. */
  readonly name: string;
  readonly description: string;
  /** The body of the definition. */
  readonly brief: string;
}
