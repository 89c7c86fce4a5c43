// An entry of MCP servers as it may be shown: whoever allows it sees all of it but the secrets that stand in it.

import type { Entry } from "../../../modules/mcp/config/entry.ts";
import { isSecretAs } from "../secrets.ts";

const HIDDEN = "…";
/** What a variable holds is not written here, and neither is it with the word that a header has before a token. */
const NOT_WRITTEN = /\$\{[A-Za-z_]\w*\}|^(?:Bearer|Basic|Token)(?= )/gi;

/** As it is written, in one line of JSON. */
export function shownEntry({ says }: Pick<Entry, "says">): string {
  return JSON.stringify(shown("", JSON.parse(says), 0));
}

const MAX_DEPTH = 16;

/** @param name under which it stands */
function shown(name: string, value: unknown, depth: number): unknown {
  if (typeof value === "string") return name === "url" ? shownUrl(value) : shownText(name, value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return HIDDEN;
  if (Array.isArray(value))
    return value.map((item, at) =>
      typeof item === "string" ? shownArgument(value[at - 1], item) : shown(name, item, depth + 1),
    );
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(key, inner, depth + 1)]));
}

function shownText(name: string, value: string): string {
  const written = value.replace(NOT_WRITTEN, "").trim();
  return written !== "" && isSecretAs(name, written) ? HIDDEN : value;
}

/** `--token abc` and `--token=abc` */
function shownArgument(before: unknown, value: string): string {
  const [, flag, given] = /^(-[^=]*)=(.*)$/s.exec(value) ?? [];
  if (flag !== undefined && given !== undefined) return `${flag}=${shownText(flag, given)}`;
  const isOfFlag = typeof before === "string" && /^-[^=]*$/.test(before) && !value.startsWith("-");
  return shownText(isOfFlag ? before : "", value);
}

function shownUrl(url: string): string {
  const [path = "", ...rest] = url.split(/(?=[?#])/);
  const parts = path.split("/").map((part) => shownText("", part));
  const query = rest
    .join("")
    .replace(/([?&#])([^=&#]*)=([^&#]*)/g, (_, mark: string, name: string, value: string) => {
      return `${mark}${name}=${shownText(name, value)}`;
    });
  return parts.join("/") + query;
}
