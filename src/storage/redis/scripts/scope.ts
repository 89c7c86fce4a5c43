import type { AgentId } from "../../../domain/message/message.ts";
import type { Link } from "../connection/link.ts";

/** Where a legion is in Redis. */
export interface LegionPlace {
  readonly link: Link;
  readonly legion: string;
}

/** Where one agent is in Redis, or one memory. */
export interface RedisPlace extends LegionPlace {
  /** Of a memory: its id. */
  readonly agent: AgentId;
}
