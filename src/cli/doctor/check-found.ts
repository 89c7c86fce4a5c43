// What agents of the project find outside: definitions of other programs, skills, prompts, MCP servers. Starts none of it.

import { findSkills } from "../../../modules/skills/find.ts";
import { isLegionError } from "../../base/errors.ts";
import { packageDir } from "../../base/package.ts";
import { count } from "../../base/text/wording.ts";
import type { Config } from "../../config/config.ts";
import type { Definition } from "../../config/definition.ts";
import { knownDefinitions, type KnownDefinition } from "../../config/known-definitions.ts";
import { serverGrants } from "../../config/mcp/servers.ts";
import { memoryPrompts } from "../../config/grants/memory-prompts.ts";
import { leftOut } from "../../config/grants/left-out.ts";
import { nameableFor, strangeServers, strangeSkills, type Nameable } from "../../config/named.ts";
import { linkedOut, skillGrants, trustedFolders } from "../../config/skills/folders.ts";
import { finding, type DoctorFinding } from "./finding.ts";

/** Of each kind so many are told of. */
const MAX_TOLD = 10;

type FoundConfig = Pick<Config, "trust" | "home" | "skills" | "modules">;

/** Silent where nothing of it is there. */
export async function* checkFound(config: FoundConfig, projectDir: string): AsyncGenerator<DoctorFinding> {
  const { trust, home } = config;
  const known = await knownDefinitions({ projectDir, packageDir, trust, home });
  yield* checkForeign(known.filter(({ from }) => from.endsWith(".claude/agents")));
  const definitions = known.flatMap(({ definition }) => definition ?? []);
  const nameable = await nameableFor(definitions, config);
  const strangeBy = (strange: (each: Definition, among: Nameable) => string | undefined): readonly string[] =>
    known.flatMap(({ reference, definition }) => {
      const why = definition && strange(definition, nameable);
      return why === undefined ? [] : [`${reference}: ${why}`];
    });
  yield* checkSkills(config, projectDir);
  yield* bounded("skills", "wrong", strangeBy(strangeSkills));
  yield* checkPrompts(config, projectDir);
  yield* checkServers(config);
  yield* bounded("mcp", "wrong", strangeBy(strangeServers));
}

function* checkForeign(known: readonly KnownDefinition[]): Generator<DoctorFinding> {
  const broken = known.flatMap(({ fault }) => fault ?? []);
  const partly = known.filter(({ definition }) => definition?.remarks?.length).length;
  const held = partly === 0 ? "" : `; of ${partly} not all holds, \`legion agents\` lists it`;
  if (known.length > broken.length)
    yield finding(
      ".claude/agents",
      "ok",
      `${count(known.length - broken.length, "valid definition")}${held}`,
    );
  yield* bounded(".claude/agents", "wrong", broken);
}

async function* checkSkills({ skills }: FoundConfig, projectDir: string): AsyncGenerator<DoctorFinding> {
  const counted = await findSkills(trustedFolders(skills), new AbortController().signal);
  const broken = counted.skills.flatMap(({ name, notes }) =>
    notes.slice(0, 1).map((note) => `${name}: ${note}`),
  );
  yield finding(
    "skills",
    "ok",
    `${counted.skills.length} that agents can have; \`legion skills\` lists them`,
  );
  const open = (await skillGrants(skills)).filter(({ isGranted }) => !isGranted);
  if (open.length > 0) yield finding("skills", "warning", leftOut(open));
  yield* bounded("skills", "warning", [
    ...(await linkedOut(projectDir, skills)),
    ...broken,
    ...counted.leftOut.map((line) => `left out: ${line}`),
  ]);
}

async function* checkPrompts({ trust }: FoundConfig, projectDir: string): AsyncGenerator<DoctorFinding> {
  const found = await memoryPrompts(projectDir, trust).catch((error: unknown) => {
    if (!isLegionError(error, "CONFIG")) throw error;
    return error.message;
  });
  if (typeof found === "string") return yield finding("prompts", "wrong", found);
  const granted = found.filter(({ wanted }) => wanted.isGranted).map(({ name }) => name);
  if (granted.length > 0)
    yield finding("prompts", "ok", `in place of ours for a scribe: ${granted.join(", ")}`);
  const open = found.flatMap(({ wanted }) => (wanted.isGranted ? [] : wanted));
  if (open.length > 0) yield finding("prompts", "warning", leftOut(open));
}

async function* checkServers({ modules: { mcp }, trust }: FoundConfig): AsyncGenerator<DoctorFinding> {
  const { entries, problems } = await mcp.servers();
  const wanted = await serverGrants(mcp, trust);
  const open = wanted.filter(({ isGranted }) => !isGranted).map(({ what }) => what.replace(/^mcp /, ""));
  const allowed = wanted.length - open.length;
  if (entries.length > 0)
    yield finding(
      "mcp",
      "ok",
      `${count(entries.length, "server")}, ${allowed} allowed; \`legion mcp\` lists them`,
    );
  if (open.length > 0) {
    const more = open.length > MAX_TOLD ? ` and ${open.length - MAX_TOLD} more` : "";
    const names = open.slice(0, MAX_TOLD).join(", ");
    yield finding(
      "mcp",
      "warning",
      `not allowed, so never started: ${names}${more}; \`legion mcp allow <server>\``,
    );
  }
  yield* bounded("mcp", "wrong", problems);
}

function* bounded(
  check: string,
  status: DoctorFinding["status"],
  details: readonly string[],
): Generator<DoctorFinding> {
  for (const detail of details.slice(0, MAX_TOLD)) yield finding(check, status, detail);
  if (details.length > MAX_TOLD) yield finding(check, status, `and ${details.length - MAX_TOLD} more`);
}
