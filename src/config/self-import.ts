// A module in a file of a user's own imports "ai-legion" and gets the one that runs, whatever calls itself so beside it:
// a package.json of that name in the project would otherwise come first, and anybody who writes files can write one.

import module from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const PACKAGE = "ai-legion";
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "../index.ts" : "../index.js", import.meta.url).href;

let isOffered = false;

/** From now on `import ... from "ai-legion"`, or `require`, means this package in every file that this process loads. */
export function offerSelfImport(): void {
  if (isOffered) return;
  isOffered = true;
  if ("registerHooks" in module) return registerInThread(module.registerHooks as RegisterHooks);
  module.register(`data:text/javascript,${encodeURIComponent(LOADER)}`);
  if ("_resolveFilename" in module) {
    const next = module._resolveFilename as ResolveFilename;
    module._resolveFilename = resolveRequired(next);
  }
}

interface Context {
  readonly parentURL?: string;
}
interface Resolved {
  readonly url: string;
  readonly shortCircuit?: boolean;
}
type Resolve = (
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => Resolved,
) => Resolved;
/** Since Node 22.15, and not among the types of Node 20. */
type RegisterHooks = (hooks: { readonly resolve: Resolve }) => void;

/** Of another part, such as `ai-legion/package.json`, this package itself says where it is. */
function registerInThread(registerHooks: RegisterHooks): void {
  const own = module.createRequire(ENTRY);
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === PACKAGE) return { url: ENTRY, shortCircuit: true };
      if (!isPart(specifier) || context.parentURL === ENTRY) return next(specifier, context);
      return { url: pathToFileURL(own.resolve(specifier)).href, shortCircuit: true };
    },
  });
}

function isPart(specifier: string): boolean {
  return specifier.startsWith(`${PACKAGE}/`);
}

/** The same for Node 20, which runs the hooks in a thread of their own and takes them as a module. */
const LOADER = `
export async function resolve(specifier, context, next) {
  if (specifier === ${JSON.stringify(PACKAGE)}) return { url: ${JSON.stringify(ENTRY)}, shortCircuit: true };
  const isPart = specifier.startsWith(${JSON.stringify(`${PACKAGE}/`)});
  return next(specifier, isPart ? { ...context, parentURL: ${JSON.stringify(ENTRY)} } : context);
}`;

type ResolveFilename = (request: string, parent: unknown, ...rest: readonly unknown[]) => string;

/** There `require` knows no hooks: this function is what programs replace that need some. */
function resolveRequired(next: ResolveFilename): ResolveFilename {
  const own = module.createRequire(ENTRY);
  const path = fileURLToPath(ENTRY);
  return function (this: unknown, request, parent, ...rest) {
    if (request === PACKAGE) return path;
    return isPart(request) && fileOf(parent) !== path
      ? own.resolve(request)
      : next.call(this, request, parent, ...rest);
  };
}

function fileOf(parent: unknown): unknown {
  return typeof parent === "object" && parent !== null && "filename" in parent ? parent.filename : undefined;
}
