// The skills that agents of this project can have, and what is wrong with which.

import { findSkills, type FoundSkills, type Skill } from "../../../modules/skills/find.ts";
import { isInside } from "../../base/files/project-file.ts";
import type { Config } from "../../config/config.ts";
import { leftOut } from "../../config/grants/left-out.ts";
import { loadConfigAnyway } from "../../config/load-config.ts";
import { linkedOut, skillGrants, trustedFolders } from "../../config/skills/folders.ts";
import type { CliCommand } from "../kit/command.ts";
import { oneLine, printJson, printRows } from "../kit/output.ts";
import { addDirOption, addJsonOption, projectOf } from "../kit/target.ts";
import { tableRows, tableSpace, type Column } from "./table.ts";

/** As `--json` tells it. */
interface SkillLine extends Skill {
  /** The folder that it was found in, as people know it. */
  readonly from: string;
}

export const command: CliCommand = {
  define: (parser) => void addJsonOption(addDirOption(parser)),
  async run(typed, io) {
    const project = await projectOf(typed, io);
    const { config, fault } = await loadConfigAnyway({ projectDir: project, env: io.env, flags: {} });
    const found = await findSkills(trustedFolders(config.skills), new AbortController().signal);
    const lines = found.skills.map((skill) => lineOf(skill, config));
    const remarks = [
      ...(await linkedOut(project, config.skills)),
      ...(await remarksOn(found, config, fault)),
    ];
    if (typed.options["json"]) {
      for (const line of lines) printJson(io, line);
      for (const remark of remarks) io.stderr.write(`legion: ${oneLine(remark)}\n`);
      return 0;
    }
    const rows =
      lines.length === 0 ? ["There are no skills here."] : tableRows(lines, COLUMNS, tableSpace(io));
    const notes = lines.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`));
    const words = [...notes, ...remarks].map(oneLine);
    printRows(io, [...rows, ...(words.length > 0 ? ["", ...words] : [])].join("\n"));
    return 0;
  },
};

const COLUMNS: readonly Column<SkillLine>[] = [
  { title: "SKILL", align: "left", rank: 0, cell: ({ name }) => oneLine(name) },
  { title: "FROM", align: "left", rank: 1, cell: ({ from }) => oneLine(from) },
  { title: "DESCRIPTION", align: "left", rank: 2, cell: ({ description }) => oneLine(description) },
];

function lineOf(skill: Skill, { skills }: Pick<Config, "skills">): SkillLine {
  const from = skills.find(({ path }) => isInside(path, skill.root))?.shown ?? skill.root;
  return { ...skill, from };
}

async function remarksOn(
  found: FoundSkills,
  { skills }: Pick<Config, "skills">,
  fault: string | undefined,
): Promise<readonly string[]> {
  const open = (await skillGrants(skills)).filter(({ isGranted }) => !isGranted);
  return [
    ...found.leftOut.map((line) => `left out: ${line}`),
    ...(open.length > 0 ? [leftOut(open)] : []),
    ...(fault === undefined ? [] : [`${fault} (a start would refuse that)`]),
  ];
}
