// What a call touches, in few words: the object alone, as its action says the rest.

import { isAbsolute, relative } from "node:path";
import type { Touch } from "../../../domain/policy/rule.ts";
import { displayName } from "../../../domain/message/message.ts";

/** Each thing once, in order; nothing of an action that does not say what it touches. `root` is where relative paths begin. */
export function touchedWords(touches: readonly Touch[], root: string): readonly string[] {
  const words = touches.flatMap((touch) => wordOf(touch, root) ?? []);
  return [...new Set(words)];
}

function wordOf(touch: Touch, root: string): string | undefined {
  switch (touch.kind) {
    case "read":
    case "write": {
      const [asked, real] = [shortPath(touch.asked, root), shortPath(touch.real, root)];
      return asked === real ? asked : `${asked} (${real})`;
    }
    case "run":
      return touch.command;
    case "net":
      return touch.url ?? touch.host;
    case "send":
      return touch.to === "all" ? "all" : displayName(touch.to);
    default:
      return undefined;
  }
}

function shortPath(path: string, root: string): string {
  const short = relative(root, path);
  if (short === "") return ".";
  return short.startsWith("..") || isAbsolute(short) ? path : short;
}
