// What people settled for a start that runs what a project brings.

import type { Config } from "../config.ts";
import type { Admit, Brought } from "../module-loader.ts";

export interface SettlingSteps {
  /** Reads it anew, with what was granted until now. */
  load(): Promise<Config>;
  /** What the project's files would have for this start, by that config. */
  broughtBy(config: Config): Promise<Brought>;
  readonly admit: Admit;
}

/**
 * The config of a start, once the person was asked about what the project's files want and only the person may say. What
 * they grant may bring further wishes: another agent, with other modules. Rejects as its parts do.
 */
export async function settleTrusted({ load, broughtBy, admit }: SettlingSteps): Promise<Config> {
  const asked = new Set<string>();
  for (;;) {
    const config = await load();
    const brought = await broughtBy(config);
    await admit(brought);
    const open = brought.grants.filter(({ isGranted }) => !isGranted);
    const fresh = open.map(({ what, value }) => `${what} ${value}`).filter((wanted) => !asked.has(wanted));
    if (fresh.length === 0) return config;
    for (const wanted of fresh) asked.add(wanted);
  }
}
