// What no agent may change, where no node runs that knows it.

import { isAbsolute } from "node:path";
import { packageDir } from "../../base/package.ts";
import type { Variables } from "../../base/process/variables.ts";
import { decisivePaths } from "../../config/code/startable.ts";
import type { Config } from "../../config/config.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { personIn } from "../opening/open-node.ts";

export interface ProtectedSite {
  /** Real path of its folder. */
  readonly project: string;
  readonly config: Pick<Config, "agent" | "home" | "trust" | "modules">;
  readonly reader: Pick<Reader, "known" | "record">;
}

/** Relative to the project: the same as with a node that hosts everybody who was ever started. */
export async function protectedPathsOf(
  { project, config, reader }: ProtectedSite,
  env: Variables,
): Promise<readonly string[]> {
  const { agent, home, trust, modules } = config;
  const records = await Promise.all((await reader.known()).map(reader.record));
  const known = {
    definitions: [agent, ...records.flatMap(({ definition }) => definition ?? [])],
    teams: [],
    modules: records.flatMap(({ modules: named }) => named ?? []),
    programs: [modules.web.browser ?? ""].filter(isAbsolute),
  };
  const places = { projectDir: project, packageDir, home, trust };
  return [...(await decisivePaths(known, { places, ownDir: packageDir })), ...(await personIn(project, env))];
}
