import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder that holds our package.json and `agents/`, with a separator at its end. */
export const packageDir = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../" : "../../../", import.meta.url),
);

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(`${packageDir}package.json`, "utf8")) as { version: string };
  return version;
}
