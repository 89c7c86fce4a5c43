// Where links lead, also those whose end is not there yet: whoever writes through one makes it.

import { readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, sep } from "node:path";
import { isInside } from "../../base/files/project-file.ts";

export interface SettledLink {
  /** Where it leads in the source: a real path, as far as something is there; absent: in a circle. */
  readonly leads?: string;
  /** What it says in the copy to lead to the same; absent: nothing does. */
  readonly text?: string;
}

/** Whoever follows more is told by the system that it is a circle. */
const MAX_LINKS = 40;

/**
 * What a link says holds in the copy as well, unless it leads elsewhere from there: by a step up out of the copy, or from elsewhere
 * into the source. The links on its way are settled so themselves: in the copy they lead to the same.
 *
 * @param at absolute path of the link, which need not be one, in a real folder of `source`
 * @param text of bytes, as `asBytes` has them, as all paths here
 */
export function settleLink(at: string, text: string, source: string): SettledLink {
  let leads = isAbsolute(text) ? parse(text).root : dirname(at);
  let isSame = true;
  const names = namesIn(text);
  for (const [index, name] of names.entries()) {
    const next = follow(leads, name);
    // In the copy it ends in what that one is there, if nothing comes behind.
    if (next === undefined) return isSame && index === names.length - 1 ? { text } : {};
    if (isInside(source, leads) ? !isInside(source, next) && name === ".." : isInside(source, next))
      isSame = false;
    leads = next;
  }
  if (isSame) return { leads, text };
  return { leads, text: isInside(source, leads) ? relative(dirname(at), leads) || "." : leads };
}

/** From a real folder; `undefined` for a circle. */
function follow(from: string, path: string): string | undefined {
  let at = from;
  let links = 0;
  const rest = namesIn(path).toReversed();
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    const next = join(at, name);
    const text = name === ".." ? undefined : linkAt(next);
    if (text === undefined) at = next;
    else {
      if (++links > MAX_LINKS) return undefined;
      if (isAbsolute(text)) at = parse(text).root;
      rest.push(...namesIn(text).toReversed());
    }
  }
  return at;
}

/** Each byte as a character: not all paths are text. */
export function asBytes(path: string | Buffer): string {
  return Buffer.from(path).toString("latin1");
}

export function asText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function namesIn(path: string): readonly string[] {
  const names = path.slice(parse(path).root.length).split(sep);
  return names.filter((name) => name !== "" && name !== ".");
}

/** What a link says; `undefined` for what is none, or cannot be looked at. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(Buffer.from(path, "latin1"), "latin1");
  } catch {
    return undefined;
  }
}
