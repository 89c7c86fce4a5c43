// The project's `.env`, as Node reads it. `KEY: value` and `API_KEY value` would set nothing, without a word.

import { parseEnv } from "node:util";
import { LegionError } from "../../base/errors.ts";

export interface DotEnv {
  readonly values: Readonly<Record<string, string | undefined>>;
  /** What was meant to be set and is not, in the order of the lines. */
  readonly faults: readonly DotEnvFault[];
}

export interface DotEnvFault {
  readonly key: string;
  /** From 1. */
  readonly line: number;
}

/** Comments, and values in quotes, which may go over several lines. */
const NO_SETTING = /^[ \t]*#.*$|=[ \t]*(["'`])[\s\S]*?\1/gm;
const WITH_COLON = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*:/;
/** Only what looks like a variable: other words without = are notes to oneself. */
const WITH_SPACE = /^\s*(?:export\s+)?([A-Z][A-Z0-9]*_[A-Z0-9_]+)[ \t]+[^\s=][^=]*$/;

export function parseDotEnv(text: string): DotEnv {
  const settings = text.replace(NO_SETTING, (left) => left.replace(/[^\n]/g, ""));
  const faults = settings.split("\n").flatMap((line, index) => {
    const key = (WITH_COLON.exec(line) ?? WITH_SPACE.exec(line))?.[1];
    return key === undefined ? [] : [{ key, line: index + 1 }];
  });
  return { values: parseEnv(text), faults };
}

/** The value is not repeated: it may be a key. */
export function dotEnvError({ key, line }: DotEnvFault): LegionError {
  return new LegionError("CONFIG", `.env:${line}: expected ${key}=<value>, with = after the name`);
}
