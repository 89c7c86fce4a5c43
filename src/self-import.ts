// A module in a file of a user's own imports "ai-legion" with nothing installed beside it: where the ordinary
// resolution finds no such package, it finds the one that runs.

import module from "node:module";

const PACKAGE = "ai-legion";
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./index.ts" : "./index.js", import.meta.url).href;

let isOffered = false;

/** From now on `import ... from "ai-legion"` works in every file that this process imports. */
export function offerSelfImport(): void {
  if (isOffered) return;
  isOffered = true;
  if ("registerHooks" in module) registerInThread(module.registerHooks as RegisterHooks);
  else module.register(`data:text/javascript,${encodeURIComponent(LOADER)}`);
}

interface Resolved {
  readonly url: string;
  readonly shortCircuit?: boolean;
}
type Resolve = (
  specifier: string,
  context: unknown,
  next: (specifier: string, context: unknown) => Resolved,
) => Resolved;
/** Since Node 22.15, and not among the types of Node 20. */
type RegisterHooks = (hooks: { readonly resolve: Resolve }) => void;

function registerInThread(registerHooks: RegisterHooks): void {
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (specifier !== PACKAGE || !isNotFound(error)) throw error;
        return { url: ENTRY, shortCircuit: true };
      }
    },
  });
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}

/** The same for Node 20, which runs the hooks in a thread of their own and takes them as a module. */
const LOADER = `
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (specifier !== ${JSON.stringify(PACKAGE)} || error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    return { url: ${JSON.stringify(ENTRY)}, shortCircuit: true };
  }
}`;
