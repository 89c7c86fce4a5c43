import type { EnvironmentKind } from "./environment.ts";

export const CONTAINER_KINDS = ["docker", "podman"] as const satisfies readonly EnvironmentKind[];

/** What somebody said about where commands run; what is absent is left to whoever spoke before. */
export interface EnvironmentChoice {
  /** Absent: bubblewrap where it works, else local. */
  readonly kind?: EnvironmentKind;
  /** What every command reaches; absent: `off`. */
  readonly network?: "off" | "on" | readonly string[];
  /** What commands may read besides: absolute, or beginning with `~/`. */
  readonly read?: readonly string[];
  /** Names of the runtime's variables that commands see. */
  readonly pass?: readonly string[];
  /** Of docker and podman: the image, and further arguments of `run`. */
  readonly image?: string;
  readonly args?: readonly string[];
}

/** Later ones overrule earlier ones; another kind begins anew, as what was said belongs to a kind. */
export function mergeEnvironments(...choices: readonly (EnvironmentChoice | undefined)[]): EnvironmentChoice {
  return choices.reduce<EnvironmentChoice>((before, choice = {}) => {
    const isOther = choice.kind !== undefined && before.kind !== undefined && choice.kind !== before.kind;
    return isOther ? choice : { ...before, ...choice };
  }, {});
}
