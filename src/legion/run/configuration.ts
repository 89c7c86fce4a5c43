// A configuration of mini-SWE-agent in place of a definition, for as long as its run is planned.

import { openTemplates } from "../../base/template/templates.ts";
import type { KnownPlace, Places } from "../../config/definition.ts";
import type { KeptSource } from "../../config/mini/kept.ts";
import { specsIn } from "../../config/mini/reference.ts";
import {
  readMiniConfiguration,
  type MiniConfiguration,
  type MiniPlaces,
} from "../../config/mini/configuration.ts";
import type { EnvironmentChoice } from "../../environment/settings.ts";
import { isSandboxed, type EnvironmentFinding } from "../../environment/open.ts";

export interface OpenedConfiguration {
  /** For whoever looks up definitions. */
  readonly others: NonNullable<Places["others"]>;
  /** As it was read last by whoever knows what the person trusts: what is granted may be more by then. */
  latest(): MiniConfiguration;
  close(): Promise<void>;
}

export interface ConfigurationPlace {
  readonly cwd: string;
  readonly projectDir: string;
  readonly finding: Pick<EnvironmentFinding, "kind">;
  readonly typed: NonNullable<MiniPlaces["typed"]>;
  /** What was typed of it by now; absent: nothing. */
  readonly said?: readonly string[] | undefined;
  /** What was kept of it; absent: nothing. */
  readonly kept?: readonly KeptSource[] | undefined;
}

/** Reads it once, with nothing granted, and as if its commands ran without a sandbox. Throws as `readMiniConfiguration` does. */
export async function openConfiguration(
  reference: string,
  { finding, said, kept, ...folders }: ConfigurationPlace,
): Promise<OpenedConfiguration> {
  // Values alone change what the run has.
  const isMore = kept && said?.every((spec) => spec.includes("="));
  const specs = said ? [...(isMore ? kept : []), ...said] : (kept ?? specsIn(reference));
  const templates = openTemplates();
  const read = ({ trust, commandsIn }: KnownPlace): Promise<MiniConfiguration> => {
    const isConfined = commandsIn && ((own: EnvironmentChoice) => isSandboxed(commandsIn(own), finding));
    return readMiniConfiguration(specs, { ...folders, templates, trust, isSandboxed: isConfined });
  };
  let latest: MiniConfiguration;
  try {
    latest = await read({});
  } catch (error) {
    await templates.close();
    throw error;
  }
  return {
    others: new Map([
      [
        reference,
        async (known) => {
          const found = await read(known);
          // Whoever only looks what it names knows nothing of what the person trusts.
          if (known.trust && known.commandsIn) latest = found;
          return found.definition;
        },
      ],
    ]),
    latest: () => latest,
    close: templates.close,
  };
}
