import type { AgentId } from "../../../domain/message.ts";
import type { Link } from "../connection/link.ts";

/** Where one agent is in Redis. */
export interface RedisPlace {
  readonly link: Link;
  readonly legion: string;
  readonly agent: AgentId;
}

/** Where a legion is in Redis. */
export interface LegionPlace {
  readonly link: Link;
  readonly legion: string;
}
