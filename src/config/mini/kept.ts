// A configuration as it is kept with the agent that it became: what a file said then holds, wherever the agent goes on. Nothing is
// kept that has no effect and may be a key.

import { createHash } from "node:crypto";
import { SECTIONS, type SectionName } from "./sections.ts";

/** One that `--config` named. */
export interface KeptSource {
  /** Absolute path; absent: it was typed. */
  readonly file?: string;
  /** SHA-256 of the file. */
  readonly sum?: string;
  readonly said: SaidKeys;
}

export type SaidKeys = Readonly<Record<string, unknown>>;

export function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What is kept of what was said, as JSON holds it. */
export function keptOf(said: SaidKeys): SaidKeys {
  return each(said, (section, keys) =>
    isSection(section) && isMap(keys)
      ? each(keys, (key, value) => {
          if (key === "model_kwargs") return keptKwargs(value);
          return Object.hasOwn(SECTIONS[section].shape, key) ? value : hidden(value);
        })
      : hidden(keys),
  );
}

function keptKwargs(kwargs: unknown): unknown {
  if (Array.isArray(kwargs)) return kwargs.map(keptKwargs);
  if (!isMap(kwargs)) return hidden(kwargs);
  return each(kwargs, (key, value) => {
    if (key === "model_kwargs") return keptKwargs(value);
    return key === "model_name" ? value : hidden(value);
  });
}

/** Numbers are no keys, also where they are written as texts. */
function hidden(value: unknown): unknown {
  const plain: unknown = value instanceof Number ? value.valueOf() : value;
  const isPlain = plain === null || typeof plain === "number" || typeof plain === "boolean";
  return isPlain || (typeof plain === "string" && /^[\d.]{1,9}$/.test(plain)) ? plain : "***";
}

function isSection(name: string): name is SectionName {
  return Object.hasOwn(SECTIONS, name);
}

function each(map: SaidKeys, keep: (key: string, value: unknown) => unknown): SaidKeys {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, keep(key, value)]));
}

/** A whole float is an object that stands for it. */
export function isMap(value: unknown): value is SaidKeys {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Number);
}
