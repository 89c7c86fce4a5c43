import type { PolicyLayer } from "../src/domain/policy/policy.ts";

/** For agents whose calls are not what a test is about. */
export const UNBOUND: readonly PolicyLayer[] = [{ by: "the test", as: "person", profile: "full" }];
