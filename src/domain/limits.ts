import { formatDuration, parseDuration } from "../base/text/duration.ts";
import { LegionError, messageOf } from "../base/errors.ts";
import { nearest } from "../base/text/nearest.ts";
import { count } from "../base/text/wording.ts";

/** What may be spent, by one agent or by a legion; an absent member is no limit. */
export interface Limits {
  readonly steps?: number;
  /** Decisions of one agent for one instruction. */
  readonly turns?: number;
  readonly tokens?: number;
  /** US dollars. */
  readonly cost?: number;
  /** Working time: the model is asked or an action runs. */
  readonly timeMs?: number;
}

/** What all agents of one person may spend together, in every project; an absent member is no limit. */
export interface PurseLimits {
  /** Of steps, tokens and money, in a day by the person's calendar. */
  readonly day?: Limits;
  /** The same in a month. */
  readonly month?: Limits;
}

/** What somebody said about limits; an absent member is left to whoever spoke before. */
export type LimitsChoice = { readonly [Name in keyof Limits]?: number | "none" };

/** How many decisions an agent on a paid model may make unless somebody says otherwise. */
export const DEFAULT_AGENT_STEPS = 500;
/** How many US dollars a legion on paid models may spend unless somebody says otherwise. */
export const DEFAULT_LEGION_COST = 5;

export const NO_LIMITS: LimitsChoice = {
  steps: "none",
  turns: "none",
  tokens: "none",
  cost: "none",
  timeMs: "none",
};

/** How people name the members of `Limits`. */
export type LimitName = "steps" | "turns" | "tokens" | "cost" | "time";
const MEMBER = { steps: "steps", turns: "turns", tokens: "tokens", cost: "cost", time: "timeMs" } as const;
export const LIMIT_MEMBERS = Object.values(MEMBER);

const READ: Readonly<Record<LimitName, (value: string) => number>> = {
  steps: (value) => positive(value, /^\d{1,15}$/, "a whole number"),
  turns: (value) => positive(value, /^\d{1,15}$/, "a whole number"),
  tokens: (value) => positive(value, /^\d{1,15}$/, "a whole number"),
  cost: (value) => positive(value, /^\d{1,9}(\.\d{1,9})?$/, "US dollars such as 2.50,"),
  time: (value) => parseDuration(value) || refuse(value, "a duration such as 8h"),
};

function positive(value: string, form: RegExp, expected: string): number {
  const amount = form.test(value) ? Number(value) : 0;
  return amount > 0 ? amount : refuse(value, expected);
}

function refuse(value: string, expected: string): never {
  throw new LegionError("USAGE", `${JSON.stringify(value)} is no limit; write ${expected} above 0, or none`);
}

/** One limit as a person writes it: an amount above zero, or `none`. Throws USAGE. */
export function parseLimit(name: LimitName, value: string | number): number | "none" {
  const text = String(value).trim();
  return text === "none" ? "none" : READ[name](text);
}

/** Reads `steps=100,turns=50,tokens=2000000,cost=2.50,time=8h` (any of them) or `none`. Throws USAGE. */
export function parseLimits(text: string): LimitsChoice {
  if (text.trim() === "none") return NO_LIMITS;
  const choice: Partial<Record<keyof Limits, number | "none">> = {};
  for (const part of text.split(",")) {
    const [name, value] = splitOnce(part);
    if (choice[MEMBER[name]] !== undefined) throw new LegionError("USAGE", `${name} is given twice`);
    try {
      choice[MEMBER[name]] = parseLimit(name, value);
    } catch (error) {
      throw new LegionError("USAGE", `${name}: ${messageOf(error)}`, { cause: error });
    }
  }
  return choice;
}

function splitOnce(part: string): [name: LimitName, value: string] {
  const at = part.indexOf("=");
  const name = part.slice(0, at < 0 ? undefined : at).trim();
  if (at >= 0 && isLimitName(name)) return [name, part.slice(at + 1)];
  const [meant] = nearest(name, Object.keys(MEMBER));
  throw new LegionError(
    "USAGE",
    `${JSON.stringify(part.trim())} is no limit; ` +
      (meant && meant !== name
        ? `did you mean ${meant}=...?`
        : "write steps=, turns=, tokens=, cost= and time=, separated by commas, or none"),
  );
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(MEMBER, name);
}

/** What somebody said about the limits of each agent, and of the legion as a whole. */
export interface LegionLimits {
  readonly agent: LimitsChoice;
  readonly legion: LimitsChoice;
}

/** Limits said of nobody in particular count where the defaults do: steps and turns for each agent, the rest for the legion. */
export function scopeLimits({ steps, turns, ...rest }: LimitsChoice): LegionLimits {
  return { agent: { steps, turns }, legion: rest };
}

/** Reads the `--limits` of a legion: as `parseLimits`, but `none` lifts every limit of the agents too. Throws USAGE. */
export function parseLegionLimits(text: string): LegionLimits {
  const choice = parseLimits(text);
  return choice === NO_LIMITS ? { agent: NO_LIMITS, legion: NO_LIMITS } : scopeLimits(choice);
}

/** As `parseLimits` reads it. */
export function writeLimits(choice: LimitsChoice): string {
  const parts = Object.entries(MEMBER).flatMap(([name, member]) => {
    const said = choice[member];
    return said === undefined ? [] : `${name}=${name === "time" && said !== "none" ? `${said}ms` : said}`;
  });
  return parts.join(",");
}

/** Every choice overrules those before it, limit by limit. */
export function mergeLimits(...choices: readonly LimitsChoice[]): LimitsChoice {
  const merged: Partial<Record<keyof Limits, number | "none">> = {};
  for (const member of LIMIT_MEMBERS) {
    const said = choices.findLast((choice) => choice[member] !== undefined)?.[member];
    if (said !== undefined) merged[member] = said;
  }
  return merged;
}

/** What holds in the end, when each choice overrules those before it. */
export function resolveLimits(...choices: readonly LimitsChoice[]): Limits {
  const said = Object.entries(mergeLimits(...choices));
  return Object.fromEntries(said.filter(([, amount]) => amount !== "none"));
}

/** The limits of `choice` that leave more than `ours`, by their names for people. */
export function laxerLimits(choice: LimitsChoice, ours: Limits): readonly LaxerLimit[] {
  return Object.entries(MEMBER).flatMap(([name, member]) => {
    const [said, own] = [choice[member], ours[member]];
    if (said === undefined || own === undefined || (said !== "none" && said <= own)) return [];
    const shown = said === "none" ? "no limit" : formatLimits({ [member]: said });
    return [{ name, member, said, shown, instead: formatLimits({ [member]: own }) }];
  });
}

export interface LaxerLimit {
  /** How people name it. */
  readonly name: string;
  readonly member: keyof Limits;
  readonly said: number | "none";
  /** For people: what was said, and ours. */
  readonly shown: string;
  readonly instead: string;
}

/** For people: `500 steps, 5 USD`; `none` without limits. */
export function formatLimits({ steps, turns, tokens, cost, timeMs }: Limits): string {
  const parts = [
    steps === undefined ? [] : count(steps, "step"),
    turns === undefined ? [] : count(turns, "turn"),
    tokens === undefined ? [] : count(tokens, "token"),
    cost === undefined ? [] : `${cost} USD`,
    timeMs === undefined ? [] : formatDuration(timeMs),
  ];
  return parts.flat().join(", ") || "none";
}
