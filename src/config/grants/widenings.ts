// What of settings widens, wherever they may be written: limits laxer than ours, and policy.

import { laxerLimits, parseLegionLimits, type Limits, type LimitsChoice } from "../../domain/limits.ts";
import { PROFILES, type PolicyLayer, type PolicyText, type Profile } from "../../domain/policy/policy.ts";
import { entries, single, within, type OwnBounds, type Widening } from "./grant.ts";

/** Whose limits they are stands behind: `for each agent`. */
export function laxLimits(
  choice: LimitsChoice,
  ours: Limits,
  whose: string,
): readonly Widening<LimitsChoice>[] {
  return laxerLimits(choice, ours).map(({ name, member, said, shown, instead }) => ({
    setting: name,
    value: String(said),
    says: `use ${shown} in place of ${instead} ${whose}`,
    leaveOut: (limits) => ({ ...limits, [member]: undefined }),
  }));
}

/** Of limits in one text, such as `steps=100,cost=2`. What is no limit is refused where it is read. */
export function isLaxer(text: string, { limits }: OwnBounds): boolean {
  try {
    const { agent, legion } = parseLegionLimits(text);
    return [...laxerLimits(agent, limits.agent), ...laxerLimits(legion, limits.legion)].length > 0;
  } catch {
    return false;
  }
}

/** As it is read: lists that may be changed. */
interface WrittenPolicy {
  readonly profile?: Profile;
  readonly deny?: string[];
  readonly ask?: string[];
  readonly allow?: string[];
}

/** What definitions and members of teams can widen. `whose`: `agents of agents/poet.md`. */
export function definitionWidenings<
  Settings extends { readonly limits?: LimitsChoice; readonly policy?: WrittenPolicy },
>(settings: Settings, bounds: OwnBounds, whose: string): readonly Widening<Settings>[] {
  return [
    ...within(settings, "limits", (limits) => laxLimits(limits, bounds.limits.agent, `for ${whose}`)),
    ...within(settings, "policy", (policy) => widePolicy(policy, bounds, whose)),
  ];
}

/** `whose`: `its agents`, or which one. */
export function widePolicy(
  policy: WrittenPolicy,
  { profile: own }: OwnBounds,
  whose: string,
): readonly Widening<WrittenPolicy>[] {
  return [
    ...within(policy, "profile", (profile) =>
      isWider(profile, own)
        ? single<Profile>(profile, `let ${whose} act by the profile ${profile} in place of ${own}`)
        : [],
    ),
    ...within(policy, "allow", (rules) =>
      entries(rules, (rule) => `let ${whose} do this without asking: ${rule}`),
    ),
  ];
}

function isWider(profile: Profile, than: Profile): boolean {
  return PROFILES.indexOf(profile) > PROFILES.indexOf(than);
}

/**
 * What a file of the project says of policy once what nobody granted is left out: what tightens is anybody's word, what
 * widens the person's who granted it.
 */
export function policyLayers(
  by: string,
  { profile, deny, ask, allow }: PolicyText = {},
  { profile: own }: OwnBounds,
): readonly PolicyLayer[] {
  const [wide, tight] = profile && isWider(profile, own) ? [profile] : [undefined, profile];
  return [
    ...layers({ by, as: "anybody" }, { profile: tight, deny, ask }),
    ...personLayers(by, { profile: wide, allow }),
  ];
}

/** What the person says at `by`; no layer if that is nothing. */
export function personLayers(by: string, said: PolicyText | undefined): readonly PolicyLayer[] {
  return layers({ by, as: "person" }, said);
}

function layers(who: Pick<PolicyLayer, "by" | "as">, said: PolicyText = {}): readonly PolicyLayer[] {
  return Object.values(said).some((value) => value !== undefined) ? [{ ...who, ...said }] : [];
}
