// The definitions that agents can be started from here, and what of each does not hold.

import { packageDir } from "../../base/package.ts";
import { linkedOut } from "../../config/claude/files.ts";
import type { Definition } from "../../config/definition.ts";
import { leftOut } from "../../config/grants/left-out.ts";
import { knownDefinitions, type KnownDefinition } from "../../config/known-definitions.ts";
import { loadConfigAnyway } from "../../config/load-config.ts";
import { nameableFor, strangeServers, strangeSkills, type Nameable } from "../../config/named.ts";
import type { CliCommand } from "../kit/command.ts";
import { oneLine, printJson } from "../kit/output.ts";
import { paintFor, type Look, type Paint } from "../kit/terminal.ts";
import { addDirOption, addJsonOption, projectOf } from "../kit/target.ts";
import { tableRows, tableSpace, type Column } from "./table.ts";

/** As `--json` tells it. */
interface AgentLine extends Pick<KnownDefinition, "from" | "fault"> {
  /** What `--agent` takes. */
  readonly agent: string;
  readonly name?: string;
  readonly description?: string;
  readonly model?: string;
  readonly color?: string;
  readonly modules?: readonly string[];
  /** Absent: all of its modules. */
  readonly actions?: readonly string[];
  /** A line each: what its file says and does not hold, and what holds instead. */
  readonly notes: readonly string[];
}

export const command: CliCommand = {
  define: (parser) => void addJsonOption(addDirOption(parser)),
  async run(typed, io) {
    const project = await projectOf(typed, io);
    const { config, fault } = await loadConfigAnyway({ projectDir: project, env: io.env, flags: {} });
    const { trust, home } = config;
    const known = await knownDefinitions({ projectDir: project, packageDir, trust, home });
    const nameable = await nameableFor(
      known.flatMap(({ definition }) => definition ?? []),
      config,
    );
    const lines = known.map((one) => lineOf(one, nameable));
    const remarks = [
      (await linkedOut(project)) ?? [],
      fault === undefined ? [] : `${fault} (a start would refuse that)`,
    ].flat();
    if (typed.options["json"]) {
      for (const line of lines) printJson(io, line);
      for (const remark of remarks) io.stderr.write(`legion: ${oneLine(remark)}\n`);
      return 0;
    }
    const notes = lines.flatMap(({ agent, fault: own, notes: said }) => [
      ...(own === undefined ? [] : [`cannot be started: ${own}`]),
      ...said.map((note) => `${agent}: ${note}`),
    ]);
    const words = [...notes, ...remarks].map(oneLine);
    const [titles = "", ...rows] = tableRows(lines, COLUMNS, tableSpace(io));
    const paint = paintFor(io.stdout, io.env);
    const colored = rows.map((row, index) => inColor(row, lines[index]!, paint));
    // Each row and each word is harmless already: of them nothing but the colors is for the terminal to act on.
    io.stdout.write(`${[titles, ...colored, ...(words.length > 0 ? ["", ...words] : [])].join("\n")}\n`);
    return 0;
  },
};

const COLUMNS: readonly Column<AgentLine>[] = [
  { title: "AGENT", align: "left", rank: 0, cell: ({ agent }) => oneLine(agent) },
  { title: "FROM", align: "left", rank: 1, cell: ({ from }) => oneLine(from) },
  { title: "MODEL", align: "left", rank: 3, cell: ({ model }) => oneLine(model ?? "-") },
  { title: "DESCRIPTION", align: "left", rank: 2, cell: ({ description }) => oneLine(description ?? "-") },
];

/** As definitions name them; terminals have fewer. */
const LOOKS = new Map<string, Look>([
  ["red", "red"],
  ["blue", "blue"],
  ["green", "green"],
  ["yellow", "yellow"],
  ["orange", "yellow"],
  ["purple", "magenta"],
  ["pink", "magenta"],
  ["cyan", "cyan"],
]);

/** Its name in the color that its file names. */
function inColor(row: string, { agent, color = "" }: AgentLine, paint: Paint): string {
  const name = oneLine(agent);
  const look = LOOKS.get(color);
  return look && row.startsWith(name) ? paint(look, name) + row.slice(name.length) : row;
}

function lineOf({ reference, from, fault, why, definition }: KnownDefinition, nameable: Nameable): AgentLine {
  const notes = [why ?? [], definition ? notesOn(definition, nameable) : []].flat();
  return { agent: reference, from, fault, ...(definition && saidOf(definition)), notes };
}

function saidOf({ name, description, model, color, modules, actions }: Definition): Partial<AgentLine> {
  return { name, description, model, color, modules, actions };
}

function notesOn(definition: Definition, nameable: Nameable): readonly string[] {
  const { grants, remarks = [] } = definition;
  const open = grants.filter(({ isGranted }) => !isGranted);
  const strange = [strangeSkills(definition, nameable) ?? [], strangeServers(definition, nameable) ?? []];
  return [remarks, ...strange, open.length > 0 ? leftOut(open) : []].flat();
}
