// What the person said of a project, as far as settings need it.

import { realpath } from "node:fs/promises";
import { mergeLimits, resolveLimits, type LegionLimits } from "../../domain/limits.ts";
import { DEFAULT_PROFILE } from "../../domain/policy/policy.ts";
import type { PersonFolder } from "../../storage/folder/person/folder.ts";
import { grantsOf } from "../../storage/folder/person/trust.ts";
import type { PersonSettings } from "../files/person-config.ts";
import { NO_TRUST, type OwnBounds, type Trust } from "./grant.ts";

/** Rejects with CONFIG if the record of trust cannot be relied on. */
export async function trustIn(projectDir: string, person: PersonFolder, bounds: OwnBounds): Promise<Trust> {
  const granted = await grantsOf(person, await realpath(projectDir));
  return { bounds, isGranted: ({ what, value }) => granted.get(what) === value };
}

/** What the person says of all projects, in their file and in the environment, over the defaults. */
export function boundsOf({ limits: own, policy }: PersonSettings, environment?: LegionLimits): OwnBounds {
  const { limits: defaults } = NO_TRUST.bounds;
  const said = [own, environment].flatMap((layer) => layer ?? []);
  const over = (scope: keyof LegionLimits) =>
    resolveLimits(defaults[scope], mergeLimits(...said.map((layer) => layer[scope])));
  return {
    limits: { agent: over("agent"), legion: over("legion") },
    profile: policy?.profile ?? DEFAULT_PROFILE,
  };
}
