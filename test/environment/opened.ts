// Environments as agents get them, for tests: each in a workspace that is a project.

import { join } from "node:path";
import { findBubblewrap } from "../../scripts/bubblewrap.mjs";
import { gitIsThere } from "../git.ts";
import type { Environment, EnvironmentKind, EnvironmentPlace } from "../../src/environment/environment.ts";
import { createNetwork } from "../../src/environment/network/network.ts";
import { environmentFor, findEnvironment } from "../../src/environment/open.ts";
import type { EnvironmentChoice } from "../../src/environment/settings.ts";

/** With git, which its tests put into workspaces. In CI its absence is a failure, not a reason to skip. */
export const bubblewrapIsThere = gitIsThere && (findBubblewrap() !== undefined || process.env.CI === "true");

export function placeIn(workspace: string): EnvironmentPlace {
  const network = createNetwork({ allowPrivate: [] });
  const home = join(workspace, ".ai-legion");
  return { agent: "1", workspace, project: workspace, home, protectedPaths: [], privatePaths: [], network };
}

export async function open(
  kind: EnvironmentKind,
  workspace: string,
  variables: NodeJS.ProcessEnv,
): Promise<Environment> {
  const image = kind === "podman" ? { image: variables["LEGION_TEST_IMAGE"] } : {};
  return openChosen({ kind, ...image }, placeIn(workspace), variables);
}

export async function openChosen(
  choice: EnvironmentChoice,
  place: EnvironmentPlace,
  variables: NodeJS.ProcessEnv = process.env,
): Promise<Environment> {
  const finding = await findEnvironment(variables);
  return environmentFor({ choice, finding, variables })(place);
}
