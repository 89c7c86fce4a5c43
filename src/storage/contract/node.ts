// Where a legion lives: in the files of this project, with all of its agents in this process; or in Redis, where other
// processes run agents of it as well.

import type { AgentPlan } from "../../legion/agent-plan.ts";
import type { Ceiling } from "../../past/usage.ts";
import type { Clock } from "../../base/clock.ts";
import type { Hosting } from "../../legion/agent-host.ts";
import type { Inspect } from "../../domain/inspection.ts";
import type { LastStart } from "./last-start.ts";
import type { Limits } from "../../domain/limits.ts";
import type { Disk } from "../../base/disk.ts";
import type { Durability } from "../files/journal.ts";
import type { AgentId } from "../../domain/message.ts";
import type { LegionPaths } from "../folder/paths.ts";
import type { Durability as RedisDurability } from "../redis/scripts/lease.ts";
import type { LegionPlace } from "../redis/cluster/members.ts";
import type { Store } from "./store.ts";

export interface Residence {
  readonly store: Store;
  /** The project's folder. */
  readonly disk: Disk;
  /** What this process is called among the nodes of the legion; absent: it is the only one. */
  readonly node?: string;
  /** Where the limits of the legion are kept; absent: where its agents are. */
  readonly ceiling?: Ceiling;
  /** Runs the agents that this process shall run. */
  begin(hosting: Hosting): Promise<Running>;
}

export interface Running {
  /** Resolves when it is known of every agent whether it runs here. */
  settled(): Promise<void>;
  /** Finishes what runs. */
  stop(): Promise<void>;
  /** Finishes what the agent is at; nobody runs it any more until a start names it again. */
  dismiss(agent: AgentId): Promise<void>;
}

export interface ResidenceOptions {
  readonly plans: readonly AgentPlan[];
  readonly limits: Limits;
  /** The record of this start, for the next one. */
  readonly started?: LastStart;
  readonly durability: Durability;
  readonly disk?: Disk;
  /** Shall files that somebody else wrote be taken on? */
  readonly foreign?: "adopt";
  readonly redis?: RedisHome;
}

/** A legion in Redis. */
export interface RedisHome extends LegionPlace {
  /** May this Redis lose what it acknowledged? */
  readonly durability: RedisDurability;
  /** `move`: agents that are bound to files are bound to those of this folder from now on. Default `keep`. */
  readonly pins?: "move" | "keep";
  readonly leaseMs?: number;
  /** Told lines for people: what is wrong with the legion's Redis, and when it is over; which agents come and go. */
  readonly onTrouble?: (text: string) => void;
}

export interface Surroundings {
  readonly paths: LegionPaths;
  readonly clock: Clock;
  readonly inspect: Inspect;
}
