// A scribe that also hears what was said before it came: what that costs is said, and asked, before anything runs.

import { LegionError } from "../../../base/errors.ts";
import { count } from "../../../base/text/wording.ts";
import { createRedactor } from "../../../base/redaction/redactor.ts";
import type { Config } from "../../../config/config.ts";
import { formatLimits } from "../../../domain/limits.ts";
import { displayName } from "../../../domain/message/message.ts";
import type { AgentPlan, ObservedFrom } from "../../../legion/hosting/agent-plan.ts";
import type { Expense } from "../../../legion/observing/expense.ts";
import type { Roster } from "../../../legion/roster.ts";
import type { Reader } from "../../../storage/contract/reader.ts";
import { canAsk, confirm } from "../../consent/confirm.ts";
import type { Io, Typed } from "../../kit/command.ts";
import { printRows, warn } from "../../kit/output.ts";

/** What `--from` says where it means what was said before, and no folder. */
export const FROM_START: ObservedFrom = "start";

interface FromStartOrder {
  readonly config: Config;
  readonly project: string;
  readonly home?: string;
  readonly typed: Pick<Typed, "options">;
}

/**
 * The same agents, whose observers hear everything; `undefined` if the person does not want that. Nothing is written. Throws USAGE
 * where nobody observes anything, or nobody can be asked what costs something.
 */
export async function fromStart(roster: Roster, order: FromStartOrder, io: Io): Promise<Roster | undefined> {
  const observers = roster.roles.map(({ plan }) => plan).filter(({ observe }) => observe !== undefined);
  if (observers.length === 0)
    throw new LegionError("USAGE", "--from start: nobody here hears what others say; add --scribe");
  const expenses = await expensesOf(observers, order);
  for (const [plan, expense] of expenses) warn(io, described(plan, expense));
  if (!(await may(expenses, order, io))) {
    printRows(io, "Nothing was started.");
    return undefined;
  }
  const roles = roster.roles.map((role) =>
    role.plan.observe === undefined ? role : { ...role, plan: { ...role.plan, observesFrom: FROM_START } },
  );
  return { ...roster, roles };
}

type PlannedExpense = readonly [plan: AgentPlan, expense: Expense];

async function expensesOf(
  plans: readonly AgentPlan[],
  order: FromStartOrder,
): Promise<readonly PlannedExpense[]> {
  const { expenseOf } = await import("../../../legion/observing/expense.ts");
  return withReader(order, async (reader) => {
    const expenses: PlannedExpense[] = [];
    for (const plan of plans) {
      const { observe = "all", identity, model } = plan;
      expenses.push([plan, await expenseOf(reader, { observer: identity.id, observe }, model.profile)]);
    }
    return expenses;
  });
}

async function withReader<T>(
  { config, project, home }: FromStartOrder,
  use: (reader: Reader) => Promise<T>,
): Promise<T> {
  const { openBackend } = await import("../../../storage/open.ts");
  const redactor = createRedactor(config.secrets());
  const backend = await openBackend({ project, home, bus: config.bus, name: config.name, redactor });
  try {
    return await use(backend.reader);
  } finally {
    await backend.close();
  }
}

/** How much it is, and about what that comes to. */
function described({ identity, model, limits }: AgentPlan, expense: Expense): string {
  const { messages, threads, calls, tokens, cost } = expense;
  const who = displayName(identity.id);
  if (messages === 0) return `nothing was said that ${who} has not heard`;
  const what = `${who} has ${count(messages, "message")} of ${count(threads, "conversation")} to take in from the start`;
  if (calls === 0) return `${what}: that costs nothing with ${model.name}`;
  const millions = `${(tokens / 1_000_000).toFixed(tokens < 10_000_000 ? 2 : 1)} million tokens`;
  const price = cost === undefined ? "at a price that is unknown" : `${cost.toFixed(2)} USD`;
  return `${what}: about ${count(calls, "call")} of ${model.name}, ${millions}, ${price} (its limits: ${formatLimits(limits)})`;
}

/** Only what asks a model is asked about. */
async function may(
  expenses: readonly PlannedExpense[],
  { typed: { options } }: FromStartOrder,
  io: Io,
): Promise<boolean> {
  if (options["yes"] || expenses.every(([, { calls }]) => calls === 0)) return true;
  if (options["json"] || !canAsk(io))
    throw new LegionError(
      "USAGE",
      "--from start: nobody can be asked here whether that shall be spent; answer at a terminal, or say --yes, which lets agents run commands unasked, too",
    );
  return confirm("Shall it hear all of that?", io);
}
