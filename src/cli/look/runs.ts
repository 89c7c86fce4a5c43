import { oneLine, print, printJson } from "../kit/output.ts";
import { formatDuration } from "../../base/text/duration.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import type { CliCommand, Io } from "../kit/command.ts";
import { addDirOption, addJsonOption, withSite } from "../kit/target.ts";
import { clip } from "../kit/terminal.ts";
import { ageOf } from "../kit/times.ts";
import { runLines, type RunLine } from "./run-lines.ts";
import { costCell, tableRows, tableSpace, type Column } from "./table.ts";

export const command: CliCommand = {
  define: (parser) => void addJsonOption(addDirOption(parser)),
  async run(typed, io) {
    const { options } = typed;
    const person = openPersonFolder(io.env);
    const plain = { ...typed, options: { ...options, bus: "memory" } };
    const lines = await withSite(plain, { ...io, run: undefined }, (site) => runLines(site, person));
    if (options["json"]) for (const line of lines) printJson(io, line);
    else print(io, shown(lines, io));
    return 0;
  },
};

const MAX_TOLD = 20;
/** Every row is as wide as the longest; --json has all of it. */
const MOST_OF_TASK = 200;

const COLUMNS: readonly Column<RunLine>[] = [
  { title: "RUN", align: "left", rank: 0, cell: ({ run }) => run },
  { title: "STATE", align: "left", rank: 0, cell: ({ state }) => state },
  { title: "NEWEST", align: "right", rank: 1, cell: ({ at }, nowMs) => ageOf(at, nowMs) },
  { title: "STEPS", align: "right", rank: 4, cell: ({ steps }) => String(steps) },
  { title: "COST", align: "right", rank: 3, cell: ({ cost }) => costCell(cost) },
  {
    title: "TIME",
    align: "right",
    rank: 5,
    cell: ({ timeMs }) => (timeMs === 0 ? "-" : formatDuration(timeMs)),
  },
  { title: "TASK", align: "left", rank: 2, least: 16, cell: ({ task }) => clip(oneLine(task), MOST_OF_TASK) },
  { title: "AGENT", align: "left", rank: 6, least: 9, cell: ({ agent }) => oneLine(agent ?? "?") },
  { title: "MODEL", align: "left", rank: 7, cell: ({ model }) => oneLine(model ?? "?") },
];

/** Newest first. */
function shown(lines: readonly RunLine[], io: Io): string {
  if (lines.length === 0) return 'There are no runs and sessions yet; `legion run "<task>"` makes one.';
  const rows = tableRows(lines, COLUMNS, tableSpace(io));
  const broken = lines.filter(({ state }) => state === "damaged" || state === "halted");
  const told = broken.slice(0, MAX_TOLD).map(({ run, reason }) => `Run ${run}: ${oneLine(reason)}.`);
  const more = broken.length - told.length;
  return [...rows, ...told, ...(more > 0 ? [`${more} more cannot be gone on with as they are.`] : [])].join(
    "\n",
  );
}
