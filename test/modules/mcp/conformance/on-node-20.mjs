// The conformance suite imports `globSync`, which Node 20 does not have; it is used for what we do not ask of it.

import { register } from "node:module";

const hook = `
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith("/conformance/dist/index.js")) return loaded;
  return { ...loaded, source: String(loaded.source).replace(/globSync as (\\w+),/, "constants as $1,") };
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
