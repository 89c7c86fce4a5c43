import { packageDir } from "../../../base/package.ts";
import type { Config } from "../../../config/config.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { broughtBy } from "../../../legion/roster.ts";
import type { Io } from "../../kit/command.ts";
import { asChosen, type WorkloadOrder } from "./workload.ts";

/**
 * The config of a start, once the person was asked about what the project's files want and only the person may say. What
 * they grant may bring further wishes: another agent, with other modules. Rejects as `loadConfig` and `Admit` do.
 */
export async function settleTrusted(
  order: Omit<WorkloadOrder, "config" | "machine">,
  { env }: Io,
): Promise<Config> {
  const { who, project, flags, admit } = order;
  const asked = new Set<string>();
  for (;;) {
    const config = await loadConfig({ projectDir: project, env, flags });
    const places = { projectDir: project, packageDir };
    const brought = await asChosen(order, broughtBy(who, { config, places }));
    await asChosen(order, admit(brought));
    const open = brought.grants.filter(({ isGranted }) => !isGranted);
    const fresh = open.map(({ what, value }) => `${what} ${value}`).filter((wanted) => !asked.has(wanted));
    if (fresh.length === 0) return config;
    for (const wanted of fresh) asked.add(wanted);
  }
}
