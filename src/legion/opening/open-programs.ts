// Programs as agents have them, where no legion runs.

import { markOf } from "../../agent/parts/command-trace.ts";
import type { Closing } from "../../base/process/closing.ts";
import type { Variables } from "../../base/process/variables.ts";
import type { Config } from "../../config/config.ts";
import type { Programs } from "../../domain/authoring/program.ts";
import { createLocalEnvironment } from "../../environment/local.ts";
import { createNetwork } from "../../environment/network/network.ts";
import { environmentFor, findEnvironment } from "../../environment/open.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import { createPrograms } from "../hosting/programs.ts";
import { personIn } from "./open-node.ts";

/** For a program that a person wants to see, where nothing of the legion runs: as agents have them of whom nobody says otherwise. */
export async function openPrograms({ config, project, env, closing }: ProgramsOrder): Promise<Programs> {
  const { root: home } = legionPaths(project);
  const choice = config.commandEnvironment;
  const open = environmentFor({ choice, finding: await findEnvironment(env), variables: env });
  const network = createNetwork({ allowPrivate: config.modules.web.allowPrivate });
  closing.add(network.close);
  const privatePaths = await personIn(project, env);
  const place = {
    ...{ agent: "program", workspace: project, project, home, network },
    ...{ protectedPaths: privatePaths, privatePaths },
  };
  const used = await open(place);
  closing.add(used.close);
  // Whatever runs for agents is not ended, and keeps its files.
  const mark = markOf(`look ${home}`);
  return createPrograms({ mark, outside: createLocalEnvironment(env), closing })({ used, open, place });
}

export interface ProgramsOrder {
  readonly config: Pick<Config, "commandEnvironment" | "modules">;
  /** Real path of its folder. */
  readonly project: string;
  readonly env: Variables;
  readonly closing: Pick<Closing, "add">;
}
