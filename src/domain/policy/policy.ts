// What may be done without asking, and who said so. All who speak are one union: any deny, then any ask, then any allow, then
// the profile. Everybody may tighten; only the person may widen.

import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import { checkRule, parseRule, type Rule, type RulePlaces, type RuleUse, type Touch } from "./rule.ts";

/** From the narrowest to the widest. */
export const PROFILES = ["read-only", "workspace", "full"] as const;
export type Profile = (typeof PROFILES)[number];
export const DEFAULT_PROFILE: Profile = "workspace";

/** As somebody wrote it. */
export interface PolicyText {
  readonly profile?: Profile;
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
}

/** What one speaker said. */
export interface PolicyLayer extends PolicyText {
  /** For people: where it stands, such as `agents/writer.md`. */
  readonly by: string;
  /** May it widen? `person`: the person's own word, or a project that they trusted. */
  readonly as: "person" | "anybody";
}

/** What an agent may do. */
export interface Policy {
  readonly profile: Profile;
  readonly deny: readonly SaidRule[];
  readonly ask: readonly SaidRule[];
  readonly allow: readonly SaidRule[];
}

export interface SaidRule extends Rule {
  readonly by: string;
}

/** What the policy says of a call, and why, in words that a person and a model can read. */
export interface Judgement {
  readonly kind: RuleUse;
  /** Of what the call touches, what this is said of. */
  readonly touches: readonly Touch[];
  /** Such as `run git push * (agents/writer.md)`, or `profile workspace`; empty where nothing is in the way. */
  readonly rule: string;
}

/** Later layers of the person overrule their earlier profile. Throws USAGE, naming the place, for what is no rule. */
export function joinPolicies(layers: readonly PolicyLayer[], places: RulePlaces): Policy {
  const rules = (use: RuleUse): SaidRule[] =>
    layers
      .filter((layer) => use !== "allow" || layer.as === "person")
      .flatMap((layer) => (layer[use] ?? []).map((text) => said(text, layer, places)));
  return { profile: profileOf(layers), deny: rules("deny"), ask: rules("ask"), allow: rules("allow") };
}

function said(text: string, { by }: PolicyLayer, places: RulePlaces): SaidRule {
  try {
    return { ...parseRule(text, places), by };
  } catch (error) {
    if (error instanceof LegionError)
      throw new LegionError(error.code, `${by}: ${error.message}`, { cause: error });
    throw error;
  }
}

function profileOf(layers: readonly PolicyLayer[]): Profile {
  const own = layers.findLast(({ as, profile }) => as === "person" && profile !== undefined)?.profile;
  const others = layers.filter(({ as }) => as === "anybody").map(({ profile }) => profile);
  return narrowest([own ?? DEFAULT_PROFILE, ...others.filter((profile) => profile !== undefined)]);
}

function narrowest(profiles: readonly Profile[]): Profile {
  return PROFILES.find((profile) => profiles.includes(profile))!;
}

/** Throws USAGE. */
export function parseProfile(text: string): Profile {
  const found = PROFILES.find((profile) => profile === text);
  if (found) return found;
  const [meant] = nearest(text, PROFILES);
  const advice = meant ? `did you mean ${meant}?` : `write ${PROFILES.join(", ")}`;
  throw new LegionError("USAGE", `${JSON.stringify(text)} is no profile; ${advice}`);
}

const USES = ["deny", "ask", "allow"] as const satisfies readonly RuleUse[];

/** Reads what is said in single texts: `deny run git push *`, `read-only`. Throws USAGE with what would be right. */
export function parsePolicy(texts: readonly string[]): PolicyText {
  let said: PolicyText = {};
  for (const text of texts) {
    const [, word = "", rule = ""] = /^\s*(\S*)\s*([^]*)$/.exec(text) ?? [];
    const use = USES.find((one) => one === word);
    if (use) said = { ...said, [use]: [...(said[use] ?? []), checkRule(rule)] };
    else said = { ...said, profile: rule === "" ? parseProfile(word) : refuseWord(word) };
  }
  return said;
}

function refuseWord(word: string): never {
  const [meant] = nearest(word, USES);
  const advice = meant ? `did you mean ${meant} ...?` : `write ${USES.join(", ")} and a rule, or a profile`;
  throw new LegionError("USAGE", `${JSON.stringify(word)} says nothing of a rule; ${advice}`);
}

/** What the profile says where no rule does. */
export type ProfileTable = (profile: Profile, touch: Touch) => RuleUse;

/**
 * The strictest of what is said of each touch; without any it may be done. Whoever allows an action allows what it touches, as
 * far as no rule is against that.
 */
export function judge(policy: Policy, touches: readonly Touch[], table: ProfileTable): Judgement {
  const isAllowed = touches.some((touch) => touch.kind === "action" && fitting(policy, "allow", touch));
  const judgements = touches.map((touch): Judgement => {
    for (const kind of ["deny", "ask", "allow"] as const) {
      const rule = fitting(policy, kind, touch);
      if (rule) return { kind, touches: [touch], rule: `${rule.text} (${rule.by})` };
    }
    const kind = isAllowed ? "allow" : table(policy.profile, touch);
    return { kind, touches: [touch], rule: `profile ${policy.profile}` };
  });
  for (const kind of ["deny", "ask"] as const) {
    const found = judgements.filter((judgement) => judgement.kind === kind);
    if (found.length > 0) return { ...found[0]!, touches: found.flatMap((judgement) => judgement.touches) };
  }
  return { kind: "allow", touches, rule: "" };
}

function fitting(policy: Policy, use: RuleUse, touch: Touch): SaidRule | undefined {
  return rulesAbout(touch.kind, policy[use]).find((rule) => rule.fits(touch, use));
}

/** Rules are joined once, and looked at with each call. */
const BY_KIND = new WeakMap<readonly SaidRule[], Map<Touch["kind"], readonly SaidRule[]>>();

function rulesAbout(kind: Touch["kind"], rules: readonly SaidRule[]): readonly SaidRule[] {
  const sorted = BY_KIND.get(rules) ?? new Map<Touch["kind"], readonly SaidRule[]>();
  BY_KIND.set(rules, sorted);
  const found = sorted.get(kind) ?? rules.filter(({ subject }) => subject === kind);
  sorted.set(kind, found);
  return found;
}
