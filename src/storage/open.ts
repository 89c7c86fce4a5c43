// The one place that says where a legion is kept. What it takes is loaded when it is needed.

import type { Backend } from "./contract/backend.ts";
import type { RedisAddressed } from "./redis/backend.ts";

export interface Whereabout {
  /** Real path of the project's folder. */
  readonly project: string;
  /** `memory`: this process and the project's files. */
  readonly bus:
    | { readonly kind: "memory" }
    | ({ readonly kind: "redis" } & Pick<RedisAddressed, "address" | "volatile" | "pins">);
  /** Tells it from other legions in the same Redis. */
  readonly name: string;
}

/** Told lines for people. */
export type Voices = Pick<RedisAddressed, "onRetry" | "onWarning" | "onTrouble">;

/** Rejects with STORAGE if it is out of reach. */
export async function openBackend({ project, bus, name }: Whereabout, voices: Voices = {}): Promise<Backend> {
  if (bus.kind === "redis")
    return (await import("./redis/backend.ts")).openRedisBackend({ ...bus, ...voices, legion: name });
  return (await import("./files/backend.ts")).createFileBackend(project);
}
