// The conformance suite takes `globSync` from node:fs, which Node has from 22 on, for something that is not used here.

import * as fs from "node:fs";
import { register } from "node:module";

const HOOK = `export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith("/conformance/dist/index.js")) return loaded;
  return { ...loaded, source: String(loaded.source).replace(/globSync as (\\w+),/, "constants as $1,") };
}`;
if (!("globSync" in fs)) register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
