// The one place that says where a legion is kept. What it takes is loaded when it is needed.

import type { Redactor } from "../base/redaction/redactor.ts";
import type { Backend } from "./contract/backend.ts";
import { digestFolderOf } from "./folder/cache/digest-file.ts";
import { indexFolder } from "./folder/memory-paths.ts";
import type { RedisAddressed } from "./redis/backend.ts";

export interface Whereabout {
  /** Real path of the project's folder. */
  readonly project: string;
  /** Absolute real path of the home, for files; that of the project's own legion if absent. */
  readonly home?: string;
  /** `memory`: the project's files; `process`: nothing but this process, and gone with it. */
  readonly bus:
    | { readonly kind: "memory" | "process" }
    | ({ readonly kind: "redis" } & Pick<RedisAddressed, "address" | "volatile" | "pins">);
  /** Tells it from other legions in the same Redis; default `legion`. */
  readonly name?: string;
  /** Of all that is written through it. Absent: nothing is hidden. */
  readonly redactor?: Redactor;
}

/** Told lines for people. */
export type Voices = Pick<RedisAddressed, "onRetry" | "onWarning" | "onTrouble">;

/** Rejects with STORAGE if it is out of reach. */
export async function openBackend(
  { project, home, bus, name = "legion", redactor }: Whereabout,
  voices: Voices = {},
): Promise<Backend> {
  if (bus.kind === "redis")
    return (await import("./redis/backend.ts")).openRedisBackend({
      ...bus,
      ...voices,
      redactor,
      indexes: (id) => indexFolder(project, id, name),
      digests: digestFolderOf(project, name),
      legion: name,
    });
  if (bus.kind === "process") return (await import("./memory/backend.ts")).createMemoryBackend(redactor);
  return (await import("./files/backend.ts")).createFileBackend(project, { home, redactor });
}
