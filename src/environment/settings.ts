import type { EnvironmentKind } from "./environment.ts";

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
