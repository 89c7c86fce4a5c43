import { parseAge } from "../../../base/text/duration.ts";
import { LegionError, isLegionError, messageOf } from "../../../base/errors.ts";
import { count } from "../../../base/text/wording.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { confirm, canAsk } from "../../consent/confirm.ts";
import type { CliCommand, Io, Typed } from "../../kit/command.ts";
import { columnsFor, oneLine, print, printJson } from "../../kit/output.ts";
import { addDirOption, addJsonOption, projectOf } from "../../kit/target.ts";
import { clip } from "../../kit/terminal.ts";
import { ageOf } from "../../kit/times.ts";
import { tableRows, type Column } from "../../look/table.ts";
import { choose, type Chosen, type PruneOptions } from "./choice.ts";
import { deleteAll, type Pruned } from "./delete.ts";
import { findPrunable } from "./found.ts";
import { listed, type Prunable } from "./prunable.ts";
import { formatSize } from "../../kit/sizes.ts";

const OLDER = "30d";
const MAX_KEPT = 20;

export const command: CliCommand = {
  define(parser) {
    addJsonOption(addDirOption(parser))
      .option(
        "--older <age>",
        `what was not used for so long, such as 2w or 12h (default: ${OLDER}); 0 is all`,
      )
      .option("--unfinished", "also runs and agents that could be gone on with")
      .option(
        "--unmerged",
        "also worktrees with changes, or commits, that are nowhere else; their branches stay",
      )
      .option("--yes", "delete without a question");
  },
  async run(typed, io) {
    const options = readOptions(typed);
    const beforeMs = options.nowMs - options.olderMs;
    const person = openPersonFolder(io.env);
    const site = { project: await projectOf(typed, io), person, env: io.env, beforeMs };
    const chosen = choose(await findPrunable(site), options);
    const doomed = chosen.flatMap(({ item, stays }) => (stays === undefined ? [item] : []));
    const isJson = typed.options["json"] !== undefined;
    const isShown = !isJson || !typed.options["yes"];
    if (!isJson) print(io, shown(chosen, options, io));
    else if (isShown) for (const one of chosen) printJson(io, asJson(one, undefined));
    if (doomed.length > 0 && !(await mayDelete(doomed, typed, io))) return 0;
    const done = new Map<Prunable, Pruned>();
    for await (const one of deleteAll(doomed, site)) done.set(one.item, one);
    if (!isShown) for (const one of chosen) printJson(io, asJson(one, done.get(one.item)));
    else if (doomed.length > 0) print(io, summary([...done.values()]));
    return [...done.values()].some(({ failed }) => failed !== undefined) ? 1 : 0;
  },
};

function readOptions({ options }: Typed): PruneOptions {
  const { older = OLDER, unfinished, unmerged } = options;
  const takes = new Set<"unfinished" | "unmerged">();
  if (unfinished) takes.add("unfinished");
  if (unmerged) takes.add("unmerged");
  try {
    return { nowMs: Date.now(), olderMs: parseAge(older), takes };
  } catch (error) {
    if (!isLegionError(error)) throw error;
    throw new LegionError("USAGE", `--older: ${messageOf(error)}`, { cause: error });
  }
}

/** Throws USAGE where nobody can be asked. */
async function mayDelete(doomed: readonly Prunable[], { options }: Typed, io: Io): Promise<boolean> {
  if (options["yes"]) return true;
  if (options["json"] || !canAsk(io))
    throw new LegionError(
      "USAGE",
      "nothing was deleted: nobody can be asked here; --yes deletes without a question",
    );
  return confirm(`Delete ${described(doomed)}, for good?`, io);
}

function described(items: readonly Prunable[]): string {
  const kinds = (["run", "agent", "worktree", "undo"] as const).flatMap((kind) => {
    const many = items.filter((item) => item.kind === kind).length;
    return many === 0 ? [] : [count(many, kind === "undo" ? "undo folder" : kind)];
  });
  return `${kinds.join(", ")} (${sizeOf(items)})`;
}

const COLUMNS: readonly Column<Chosen>[] = [
  { title: "DELETES", align: "left", rank: 0, cell: ({ item }) => item.kind },
  { title: "NAME", align: "left", rank: 0, cell: ({ item }) => oneLine(item.name) },
  { title: "USED", align: "right", rank: 1, cell: ({ item }, nowMs) => ageOf(momentOf(item), nowMs) },
  { title: "SIZE", align: "right", rank: 2, cell: ({ item }) => sizeOf([item]) },
  { title: "STATE", align: "left", rank: 3, cell: ({ item }) => clip(oneLine(stateOf(item)), 60) },
];

function stateOf({ state, risk }: Prunable): string {
  return risk ? `${state}: ${risk.why}` : state;
}

function shown(chosen: readonly Chosen[], { nowMs }: PruneOptions, io: Io): string {
  const doomed = chosen.filter(({ stays }) => stays === undefined);
  const old = chosen.filter(({ stays, isYoung }) => stays !== undefined && !isYoung);
  const young = chosen.filter(({ isYoung }) => isYoung).length;
  const kept = old
    .slice(0, MAX_KEPT)
    .map(({ item, stays }) => `Keeps ${item.kind} ${oneLine(item.name)}: ${oneLine(stays!)}.`);
  return [
    ...(doomed.length === 0
      ? ["There is nothing to delete."]
      : tableRows(doomed, COLUMNS, { columns: columnsFor(io), nowMs })),
    ...doomed.flatMap(({ item }) => withIt(item)),
    ...kept,
    ...(old.length > MAX_KEPT ? [`Keeps ${old.length - MAX_KEPT} more.`] : []),
    ...(young > 0 ? [`Keeps ${young} used since; --older says since when.`] : []),
  ].join("\n");
}

/** What goes with a worktree though it is nowhere else, and nobody was asked to commit it. */
function withIt({ name, ignored }: Prunable): readonly string[] {
  if (!ignored) return [];
  const what = `${count(ignored.files, "file")} that git ignores (${formatSize(ignored.bytes)})`;
  return [
    `With worktree ${oneLine(name)} ${ignored.files === 1 ? "goes" : "go"} ${what}: ${oneLine(listed(ignored.paths))}.`,
  ];
}

function summary(done: readonly Pruned[]): string {
  const gone = done.filter(({ failed }) => failed === undefined).map(({ item }) => item);
  const left = done.flatMap(({ item, failed }) =>
    failed === undefined ? [] : [`Still there: ${item.kind} ${oneLine(item.name)}: ${oneLine(failed)}.`],
  );
  return [...(gone.length > 0 ? [`Deleted ${described(gone)}.`] : []), ...left].join("\n");
}

function asJson({ item, stays }: Chosen, done: Pruned | undefined): object {
  const { kind, name, state, path, bytes, ignored = null } = item;
  const isDeleted = done !== undefined && done.failed === undefined;
  return {
    kind,
    name,
    state,
    at: momentOf(item),
    bytes,
    ignored: ignored && { files: ignored.files, bytes: ignored.bytes },
    path,
    deleted: isDeleted,
    why: done?.failed ?? stays ?? null,
  };
}

function momentOf({ usedMs }: Prunable): string | null {
  return usedMs === 0 ? null : new Date(usedMs).toISOString();
}

function sizeOf(items: readonly Prunable[]): string {
  return formatSize(items.reduce((sum, { bytes }) => sum + bytes, 0));
}
