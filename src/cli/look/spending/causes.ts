// `legion ps --by cause`: what each first message cost, over all agents that worked for it.

import { displayName, parseMessageId, speakerOf } from "../../../domain/message/message.ts";
import { formatDuration } from "../../../base/text/duration.ts";
import { billOf, type CauseBill, type CauseSpending } from "../../../legion/spending/causes.ts";
import type { Io, Typed } from "../../kit/command.ts";
import { namesOf, oneLine, print, printJson, warn } from "../../kit/output.ts";
import { aboutRun, type Site } from "../../kit/target.ts";
import { clip } from "../../kit/terminal.ts";
import { ageOf } from "../../kit/times.ts";
import { costCell, countCell, tableRows, tableSpace, type Column } from "../table.ts";

export async function showCauses(site: Site, { options }: Typed, io: Io): Promise<void> {
  const { causes, unread }: CauseBill = await billOf(site.reader);
  for (const { agent, reason } of unread)
    warn(io, `what ${displayName(agent)} spent is not counted: ${oneLine(reason)}`);
  if (options["json"]) for (const cause of causes) printJson(io, toJson(cause));
  else if (causes.length === 0)
    print(io, aboutRun("Nobody has spent anything yet; `legion send` gives agents something to do.", site));
  else print(io, tableRows(causes, COLUMNS, tableSpace(io)).join("\n"));
}

/** `cause` and what is known of its message are null where no log tells. */
function toJson({ root, first, agents, spent, cost }: CauseSpending): object {
  const { steps, tokens, timeMs } = spent;
  const message = { from: speaker(root, first), at: first?.sentAt ?? null, text: first?.opening ?? null };
  return { cause: root ?? null, ...message, agents, steps, tokens, cost, timeMs };
}

/** `0`, or the id of an agent; null for the runtime itself. */
function speaker(root: string | undefined, first: CauseSpending["first"]): string | null {
  if (first?.source.type === "user" || root === undefined) return null;
  return first?.source.id ?? fromOf(root) ?? null;
}

function fromOf(root: string): string | undefined {
  try {
    return parseMessageId(root).from;
  } catch {
    // Logs are data: this one is none of our ids.
    return undefined;
  }
}

const COLUMNS: readonly Column<CauseSpending>[] = [
  { title: "CAUSE", align: "left", rank: 0, cell: ({ root = "-" }) => clip(oneLine(root), 28) },
  { title: "SAID", align: "right", rank: 2, cell: ({ first }, nowMs) => ageOf(first?.sentAt ?? null, nowMs) },
  { title: "BY", align: "left", rank: 4, cell: ({ first }) => (first ? oneLine(speakerOf(first)) : "?") },
  { title: "STEPS", align: "right", rank: 1, cell: ({ spent }) => String(spent.steps) },
  { title: "TOKENS", align: "right", rank: 2, cell: ({ spent }) => countCell(spent.tokens) },
  { title: "COST", align: "right", rank: 0, cell: ({ cost }) => costCell(cost) },
  {
    title: "WORK",
    align: "right",
    rank: 3,
    cell: ({ spent }) => formatDuration(Math.round(spent.timeMs / 1_000) * 1_000),
  },
  { title: "AGENTS", align: "left", rank: 3, cell: ({ agents }) => clip(oneLine(namesOf(agents)), 28) },
  {
    title: "MESSAGE",
    align: "left",
    rank: 1,
    cell: ({ first }) => (first ? oneLine(first.opening) : "(no log has it)"),
  },
];
