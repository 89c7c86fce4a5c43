import type { PolicyLayer } from "../src/domain/policy/policy.ts";

/** For agents whose calls are not what a test is about: by name, so that no text from outside changes that. */
export const UNBOUND: readonly PolicyLayer[] = [
  { by: "the test", as: "person", profile: "full", allow: ["action *"] },
];
