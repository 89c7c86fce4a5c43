// The person's word for what a project's settings want.

import { realpath } from "node:fs/promises";
import type { Config, ConfigSources } from "../src/config/config.ts";
import { loadConfig, loadConfigAnyway } from "../src/config/load-config.ts";
import { openPersonFolder } from "../src/storage/folder/person/folder.ts";
import { grant } from "../src/storage/folder/person/trust.ts";

/** The config once the person granted all that config.yaml and `.env` want now. */
export async function loadTrusted(sources: ConfigSources): Promise<Config> {
  await trustAll(sources);
  return loadConfig(sources);
}

/** The person's word for all that config.yaml and `.env` want now, as far as they can be read. */
export async function trustAll(sources: ConfigSources): Promise<void> {
  const settled = await loadConfigAnyway(sources).catch(() => undefined);
  const { grants } = settled?.config ?? { grants: [] };
  await grant(openPersonFolder(sources.env), await realpath(sources.projectDir), ...grants);
}
