const FLAG = "--experimental-strip-types";

/** Why a file with this extension cannot be a module here; `undefined` if it can. */
export function refusalOfType(extension: string): string | undefined {
  if (extension === ".js" || extension === ".mjs") return undefined;
  if (extension !== ".ts") return "expected a file that ends in .js, .mjs or .ts";
  return runsTypeScript() ? undefined : needOfTypeScript(process.versions.node);
}

function runsTypeScript(): boolean {
  const { features, execArgv, env } = process;
  if ("typescript" in features) return Boolean(features.typescript);
  return [...execArgv, ...(env["NODE_OPTIONS"] ?? "").split(/\s+/)].includes(FLAG);
}

/** What a module in TypeScript needs where Node has this `version` and does not run it. */
export function needOfTypeScript(version: string): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const hasFlag = major > 22 || (major === 22 && minor >= 6);
  const flag = hasFlag ? `, or NODE_OPTIONS=${FLAG}` : "";
  return `TypeScript needs Node ${major === 23 ? "23.6" : "22.18"} or later${flag}; write it in JavaScript`;
}
