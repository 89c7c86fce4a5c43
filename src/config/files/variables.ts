// What may be said beside files: by which variables of the environment and of `.env`.

import { SEARCH_KEYS, SEARCH_URLS } from "../web-search.ts";

/** Which variable says which setting. */
export const VARIABLES = [
  ["model", "LEGION_MODEL"],
  ["agent", "LEGION_AGENT"],
  ["bus", "LEGION_BUS"],
  ["name", "LEGION_NAME"],
  ["tick", "LEGION_TICK"],
  ["heartbeat", "LEGION_HEARTBEAT"],
  ["limits", "LEGION_LIMITS"],
  ["delay", "AGENT_DELAY"],
] as const;

/** Where a browser is, not that one is wanted. */
export const BROWSER_VARIABLE = "PUPPETEER_EXECUTABLE_PATH";

const KEYS: readonly string[] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", ...SEARCH_KEYS];
const URLS: readonly string[] = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", ...SEARCH_URLS];

/** What models and searches are chosen and opened by. */
export const SERVICE_VARIABLES: readonly string[] = ["LEGION_MODEL", ...KEYS, ...URLS];

/** What a project's `.env` has no say in without a person's trust: all of them but keys. */
export const STEERING: readonly string[] = [...VARIABLES.map(([, name]) => name), ...URLS, BROWSER_VARIABLE];

/** Stands between the texts of an option that is given again and again: no argument of a program holds it. */
export const BETWEEN_TEXTS = "\0";
