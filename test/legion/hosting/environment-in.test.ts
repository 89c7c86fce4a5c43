import { expect, it } from "vitest";
import type { Config } from "../../../src/config/config.ts";
import type { EnvironmentChoice } from "../../../src/environment/settings.ts";
import { environmentIn } from "../../../src/legion/hosting/agent-policy.ts";

const SAID: EnvironmentChoice = { network: "on", read: ["/opt"], set: { CI: "1" } };

it.each<[typed: EnvironmentChoice | undefined, own: EnvironmentChoice, comes: EnvironmentChoice]>([
  [undefined, {}, SAID],
  [undefined, { kind: "podman", image: "a" }, { ...SAID, kind: "podman", image: "a" }],
  [{ kind: "bubblewrap" }, {}, { ...SAID, kind: "bubblewrap" }],
  [{ kind: "bubblewrap" }, { kind: "podman", image: "a" }, { kind: "bubblewrap" }],
  [{ kind: "podman" }, { kind: "podman", image: "a" }, { ...SAID, kind: "podman", image: "a" }],
  // Whoever types that takes nothing out of a file for it.
  [{ kind: "local" }, {}, { kind: "local", set: { CI: "1" } }],
])("typed as %j, commands of who says %j run in %j", (environment, own, comes) => {
  const config = { commandEnvironment: SAID, flags: { environment } } as Pick<
    Config,
    "commandEnvironment" | "flags"
  >;
  expect(environmentIn(config, own)).toEqual(comes);
});
