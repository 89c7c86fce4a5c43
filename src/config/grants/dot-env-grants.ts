// What the project's `.env` says beyond keys.

import type { DotEnv } from "../files/dot-env.ts";
import { BROWSER_VARIABLE, STEERING } from "../files/variables.ts";
import { shownValue, single, within, type OwnBounds, type Widening } from "./grant.ts";
import { programValue } from "./program.ts";
import { isLaxer } from "./widenings.ts";

type DotEnvValues = DotEnv["values"];

/** `values` are those that the person's own environment does not hide; `project`: real path. */
export async function dotEnvWidenings(
  values: DotEnvValues,
  bounds: OwnBounds,
  project: string,
): Promise<readonly Widening<DotEnvValues>[]> {
  const steering = STEERING.flatMap((name) => {
    const value = values[name]?.trim() ?? "";
    const isHarmless = value === "" || (name === "LEGION_LIMITS" && !isLaxer(value, bounds));
    return isHarmless ? [] : [{ name, value }];
  });
  const widenings = steering.map(async ({ name, value }) => {
    const trusted = name === BROWSER_VARIABLE ? await programValue(value, project) : value;
    return within(values, name, () => single<string>(trusted, `set ${name} to ${shownValue(value)}`));
  });
  return (await Promise.all(widenings)).flat();
}
