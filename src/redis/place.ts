import type { AgentId } from "../message.ts";
import type { Link } from "./link.ts";

/** Where one agent is in Redis. */
export interface RedisPlace {
  readonly link: Link;
  readonly legion: string;
  readonly agent: AgentId;
}
