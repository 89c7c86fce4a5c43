// What files of a project say and only the person may: it counts once they trusted it, and is left out until then.

import { createHash } from "node:crypto";
import { DEFAULT_AGENT_STEPS, DEFAULT_LEGION_COST, type Limits } from "../../domain/limits.ts";
import { DEFAULT_PROFILE, type Profile } from "../../domain/policy/policy.ts";
import type { Grant } from "../../storage/folder/person/trust.ts";

/** One thing that settings would widen. */
export interface Widening<Settings> {
  /** Such as `web.browser`; each entry of a list is one of its own, and named after the setting. */
  readonly setting: string;
  /** What is trusted, and nothing else: another value is another question. */
  readonly value: string;
  /** For people, after "this project wants to". */
  readonly says: string;
  /** What is left without it; `undefined`: nothing. */
  leaveOut(settings: Settings): Settings | undefined;
}

/** What a file would have. */
export interface WantedGrant extends Grant {
  /** For people, after "this project wants to". */
  readonly says: string;
  /** For people: the file, such as `.ai-legion/config.yaml`. */
  readonly by: string;
  readonly isGranted: boolean;
}

/** What holds without the project; a file of it that says more wants a grant. */
export interface OwnBounds {
  readonly limits: { readonly agent: Limits; readonly legion: Limits };
  readonly profile: Profile;
}

/** What the person said of a project. */
export interface Trust {
  readonly bounds: OwnBounds;
  isGranted(grant: Grant): boolean;
}

/** Of a project that nobody trusts. */
export const NO_TRUST: Trust = {
  bounds: {
    limits: { agent: { steps: DEFAULT_AGENT_STEPS }, legion: { cost: DEFAULT_LEGION_COST } },
    profile: DEFAULT_PROFILE,
  },
  isGranted: () => false,
};

/** Settings as far as they may count, and what of them is a matter of trust, granted or not. */
export interface Trusted<Settings> {
  readonly settings: Settings;
  readonly grants: readonly WantedGrant[];
}

/** `by`: the file, relative to the project. */
export function trustSettings<Settings>(
  settings: Settings,
  by: string,
  widenings: readonly Widening<Settings>[],
  trust: Trust,
): Trusted<Settings> {
  let left = settings;
  const grants = widenings.map(({ setting, value, says, leaveOut }): WantedGrant => {
    const what = `${by} ${setting}`;
    const isGranted = trust.isGranted({ what, value });
    if (!isGranted) left = leaveOut(left) ?? left;
    return { what, value, says, by, isGranted };
  });
  return { settings: left, grants };
}

/** The widenings of a part, as such of the whole. */
export function within<Whole extends object, Key extends keyof Whole & string>(
  whole: Whole,
  key: Key,
  widen: (part: NonNullable<Whole[Key]>) => readonly Widening<NonNullable<Whole[Key]>>[],
): readonly Widening<Whole>[] {
  const part = whole[key];
  if (part === undefined || part === null) return [];
  return widen(part).map(({ setting, leaveOut, ...said }) => ({
    ...said,
    setting: setting === "" ? key : `${key}.${setting}`,
    leaveOut: (settings) => ({ ...settings, [key]: leaveOut(settings[key] ?? part) }),
  }));
}

/** A setting that is one value. */
export function single<Value>(value: string, says: string): readonly Widening<Value>[] {
  return [{ setting: "", value: withoutPassword(value), says, leaveOut: () => undefined }];
}

/** Each entry of a list. */
export function entries(
  list: readonly string[],
  says: (entry: string) => string,
): readonly Widening<string[]>[] {
  return [...new Set(list)].map((entry) => ({
    setting: entry,
    value: entry,
    says: says(entry),
    leaveOut: (left) => left.filter((other) => other !== entry),
  }));
}

const PASSWORD = /\/\/[^/?#]*@/;

/** What is kept of a value: one with a password in it is known by its SHA-256. */
function withoutPassword(value: string): string {
  return PASSWORD.test(value) ? `sha256:${createHash("sha256").update(value).digest("hex")}` : value;
}

/** What is shown of a value. */
export function shownValue(value: string): string {
  return value.replace(PASSWORD, "//...@");
}
