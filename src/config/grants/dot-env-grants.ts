// What the project's `.env` says beyond keys.

import { laxerLimits, parseLegionLimits } from "../../domain/limits.ts";
import type { DotEnv } from "../dot-env.ts";
import { BROWSER_VARIABLE, STEERING } from "../variables.ts";
import { shownValue, single, within, type OwnBounds, type Widening } from "./grant.ts";
import { programValue } from "./program.ts";

type DotEnvValues = DotEnv["values"];

/** `values` are those that the person's own environment does not hide; `project`: real path. */
export async function dotEnvWidenings(
  values: DotEnvValues,
  bounds: OwnBounds,
  project: string,
): Promise<readonly Widening<DotEnvValues>[]> {
  const steering = STEERING.flatMap((name) => {
    const value = values[name]?.trim() ?? "";
    const isHarmless = value === "" || (name === "LEGION_LIMITS" && isTighter(value, bounds));
    return isHarmless ? [] : [{ name, value }];
  });
  const widenings = steering.map(async ({ name, value }) => {
    const trusted = name === BROWSER_VARIABLE ? await programValue(value, project) : value;
    return within(values, name, () => single<string>(trusted, `set ${name} to ${shownValue(value)}`));
  });
  return (await Promise.all(widenings)).flat();
}

/** What is no limit is refused where it is read. */
function isTighter(text: string, { limits }: OwnBounds): boolean {
  try {
    const { agent, legion } = parseLegionLimits(text);
    return [...laxerLimits(agent, limits.agent), ...laxerLimits(legion, limits.legion)].length === 0;
  } catch {
    return true;
  }
}
