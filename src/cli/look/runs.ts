import { isAtRest, type Conversation } from "../../past/conversation.ts";
import { createBranch } from "../../past/fold.ts";
import type { AgentStatus } from "../../legion/status.ts";
import { withLegion } from "../../control/open.ts";
import { newestEventOf, sessionsOf, type SessionHome } from "../../storage/files/sessions.ts";
import { openPersonFolder, type PersonFolder } from "../../storage/folder/person/folder.ts";
import type { CliCommand, Io } from "../kit/command.ts";
import { columnsFor, oneLine, print, printJson } from "../kit/output.ts";
import { addDirOption, addJsonOption, withSite, type Site } from "../kit/target.ts";
import { clip } from "../kit/terminal.ts";
import { ageOf } from "../kit/times.ts";
import { costCell, tableRows, type Column } from "./table.ts";

/** A run as it is listed; its agent is the one that has the task. */
interface RunLine extends Pick<AgentStatus, "reason" | "model" | "steps" | "tokens" | "cost" | "node"> {
  readonly run: string;
  /** Its definition; null if nobody knows. */
  readonly agent: string | null;
  /** What it is doing, or how it ended: done, aborted, unfinished, unused, parked, paused, halted. */
  readonly state: string;
  /** When its newest event was written, ISO 8601; null if there is none that can be read. */
  readonly at: string | null;
}

export const command: CliCommand = {
  define: (parser) => void addJsonOption(addDirOption(parser)),
  async run(typed, io) {
    const { options } = typed;
    const lines: RunLine[] = [];
    const person = openPersonFolder(io.env);
    const plain = { ...typed, options: { ...options, bus: "memory" } };
    await withSite(plain, { ...io, run: undefined }, async (site) => {
      for (const session of await sessionsOf(site.project))
        lines.push(...(await linesOf(session, site, person)));
    });
    lines.sort((a, b) => (Date.parse(b.at ?? "") || 0) - (Date.parse(a.at ?? "") || 0));
    if (options["json"]) for (const line of lines) printJson(io, line);
    else print(io, shown(lines, io));
    return 0;
  },
};

/** None of one in which nothing was begun. */
async function linesOf(
  { name, home }: SessionHome,
  { project, config }: Site,
  person: PersonFolder,
): Promise<readonly RunLine[]> {
  // Before anything else of it is read: it may lead elsewhere.
  const at = (await newestEventOf(project, { name, home }, person)) || null;
  const { createFileBackend } = await import("../../storage/files/backend.ts");
  const backend = createFileBackend(project, { home });
  const { agents } = await withLegion({ project, home, backend, config }, (legion) => legion.status());
  const [first] = agents;
  if (!first) return [];
  const { reader } = backend;
  const { definition = null } = await reader.record(first.id);
  const end = first.state === "stopped" ? await endOf(first, reader) : first.state;
  const isUnused = end === "done" && at === null && (await reader.last(first.id)) === 0;
  const state = isUnused ? "unused" : end;
  const { reason, model, steps, tokens, cost, node } = first;
  return [{ run: name, agent: definition, model, state, reason, at, steps, tokens, cost, node }];
}

async function endOf({ id, unread }: AgentStatus, reader: Site["reader"]): Promise<string> {
  const { branch } = await reader.follow(id, createBranch);
  const { conversation }: { readonly conversation: Conversation } = branch;
  if (unread > 0 || !isAtRest(conversation)) return "unfinished";
  return conversation.aborted ? "aborted" : "done";
}

const COLUMNS: readonly Column<RunLine>[] = [
  { title: "RUN", align: "left", rank: 0, cell: ({ run }) => run },
  { title: "STATE", align: "left", rank: 0, cell: ({ state }) => state },
  { title: "NEWEST", align: "right", rank: 1, cell: ({ at }, nowMs) => ageOf(at, nowMs) },
  { title: "STEPS", align: "right", rank: 3, cell: ({ steps }) => String(steps) },
  { title: "COST", align: "right", rank: 2, cell: ({ cost }) => costCell(cost) },
  { title: "AGENT", align: "left", rank: 4, cell: ({ agent }) => clip(oneLine(agent ?? "?"), 28) },
  { title: "MODEL", align: "left", rank: 5, cell: ({ model }) => oneLine(model ?? "?") },
];

/** Newest first. */
function shown(lines: readonly RunLine[], io: Io): string {
  if (lines.length === 0) return 'There are no runs and sessions yet; `legion run "<task>"` makes one.';
  return tableRows(lines, COLUMNS, { columns: columnsFor(io), nowMs: Date.now() }).join("\n");
}
