// What an agent may spend by a person's word about this one: said while it is known, kept in its log, and newer than what its start
// said for as long as no start says anything else.

import { fieldsOf } from "../../base/text/json.ts";
import type { NoticeEvent } from "../../domain/event/notice.ts";
import {
  LIMIT_MEMBERS,
  formatLimits,
  mergeLimits,
  resolveLimits,
  type Limits,
  type LimitsChoice,
} from "../../domain/limits.ts";

/** What an agent may spend. */
export interface Allowance {
  /** As its start said. */
  readonly started: Limits;
  /** By now. */
  held(): Limits;
}

/** The details of a `limits` notice. */
export interface LimitsWord {
  /** All that holds by what was said so far. */
  readonly limits: LimitsChoice;
  /** What its start had said: where one says otherwise, that is newer. */
  readonly instead: Limits;
}

export interface LimitsNotice extends NoticeEvent {
  readonly reason: "limits";
  readonly details: LimitsWord;
}

export function createAllowance(
  started: Limits,
  ledger: { readonly limits: LimitsWord | undefined },
): Allowance {
  return { started, held: () => limitsHeld(started, ledger.limits) };
}

/** @param started what its start said */
export function limitsNotice(said: LimitsChoice, started: Limits, before?: LimitsWord): LimitsNotice {
  const limits = mergeLimits(holding(started, before), said);
  const content = formatLimits(resolveLimits(started, limits));
  return { kind: "notice", reason: "limits", content, details: { limits, instead: started } };
}

/** What the agent may spend. */
export function limitsHeld(started: Limits, word?: LimitsWord): Limits {
  return word ? resolveLimits(started, holding(started, word)) : started;
}

/** What holds once a notice stands in the log, by what held before it. */
export function limitsAfter(
  before: LimitsWord | undefined,
  { reason, details }: Pick<NoticeEvent, "reason" | "details">,
): LimitsWord | undefined {
  if (reason === "limits") return limitsWordIn(details) ?? before;
  // What was said elsewhere is no word of the person about what is spent here.
  return reason === "foreign" || reason === "adopted" ? undefined : before;
}

/** What somebody wrote may be anything. */
function limitsWordIn(details: unknown): LimitsWord | undefined {
  const { limits, instead } = fieldsOf(details);
  const said = amountsIn(limits);
  return Object.keys(said).length === 0
    ? undefined
    : { limits: said, instead: resolveLimits(amountsIn(instead)) };
}

function amountsIn(said: unknown): LimitsChoice {
  const amounts = fieldsOf(said);
  const isAmount = (amount: unknown): boolean =>
    amount === "none" || (typeof amount === "number" && amount > 0);
  return Object.fromEntries(
    LIMIT_MEMBERS.filter((member) => isAmount(amounts[member])).map((member) => [member, amounts[member]]),
  );
}

function holding(started: Limits, word?: LimitsWord): LimitsChoice {
  if (!word) return {};
  const { limits, instead } = word;
  const said = Object.entries(limits) as [keyof Limits, number | "none"][];
  return Object.fromEntries(said.filter(([member]) => started[member] === instead[member]));
}
