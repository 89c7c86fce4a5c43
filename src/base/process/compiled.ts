// What Node compiles of our code is kept for the next command, where Node can do that (from 22.8 on).

import module from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Variables } from "./variables.ts";

/**
 * From here on what this process loads is kept compiled in the person's own cache folder, `$XDG_CACHE_HOME/ai-legion`: whoever
 * writes there decides what runs here, so it is no folder that others share. `NODE_COMPILE_CACHE` names another one, and
 * `NODE_DISABLE_COMPILE_CACHE=1` keeps nothing. Does nothing on an older Node, and where it cannot be written.
 */
export function keepCompiled(variables: Variables): void {
  if (!("enableCompileCache" in module)) return;
  const { XDG_CACHE_HOME: said = "" } = variables;
  const caches = isAbsolute(said) ? said : join(homedir(), ".cache");
  (module.enableCompileCache as (folder: string) => unknown)(join(caches, "ai-legion"));
}
