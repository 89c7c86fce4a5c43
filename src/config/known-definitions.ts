// Every definition that an agent can be started from here.

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { isLegionError, messageOf } from "../base/errors.ts";
import { CLAUDE_AGENTS, findClaudeAgents } from "./claude/files.ts";
import { findDefinition, type Definition, type Places } from "./definition.ts";

export interface KnownDefinition {
  /** What `--agent` takes for it: its name, or its path where the name means another. */
  readonly reference: string;
  /** For people: `agents`, `.claude/agents`, `~/.claude/agents`, `ai-legion`. */
  readonly from: string;
  /** For people, where that is its path: why. */
  readonly why?: string;
  /** Absent: it cannot be started. */
  readonly definition?: Definition;
  /** For people, in one line: why not. */
  readonly fault?: string;
}

/** In the order in which a name finds them; of one name the further ones of .claude are there by their paths. */
export async function knownDefinitions(places: Places): Promise<readonly KnownDefinition[]> {
  const claude = (await findClaudeAgents(places)).map(({ agent, shown, fault, isPersons }): NamedFile => {
    const name = agent?.name ?? basename(shown, ".md");
    return { name, path: shown, from: `${isPersons ? "~/" : ""}${CLAUDE_AGENTS}`, fault };
  });
  const ofProject = ({ path }: NamedFile): boolean => !path.startsWith("~/");
  const named = [
    ...(await namedIn(places.projectDir, "agents")),
    ...claude.filter(ofProject),
    ...(await namedIn(places.packageDir, "ai-legion")),
    ...claude.filter((one) => !ofProject(one)),
  ];
  const first = new Map<string, string>();
  const known = named.flatMap(({ name, path, from, fault }) => {
    const other = first.get(name);
    if (other === undefined) {
      first.set(name, from === "ai-legion" ? "one of ours" : path);
      return [{ known: { reference: name, from, fault }, path }];
    }
    // Ours is not there for whoever has one of that name.
    if (from === "ai-legion") return [];
    const why = `its name, ${name}, means ${other}; its path means it`;
    return [{ known: { reference: path, from, fault, why }, path }];
  });
  // By a name all files of .claude would be read for each of them.
  return Promise.all(
    known.map(({ known: one, path }) =>
      judged(one, one.from.endsWith(CLAUDE_AGENTS) ? path : one.reference, places),
    ),
  );
}

interface NamedFile extends Pick<KnownDefinition, "from" | "fault"> {
  readonly name: string;
  readonly path: string;
}

async function judged(
  known: Omit<KnownDefinition, "definition">,
  reference: string,
  places: Places,
): Promise<KnownDefinition> {
  if (known.fault !== undefined) return known;
  try {
    return { ...known, definition: await findDefinition(reference, places) };
  } catch (error) {
    if (!isLegionError(error)) throw error;
    return { ...known, fault: messageOf(error) };
  }
}

async function namedIn(folder: string, from: string): Promise<readonly NamedFile[]> {
  const files = await readdir(join(folder, "agents")).catch((): string[] => []);
  return files
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => ({ name: basename(file, ".md"), path: `agents/${file}`, from }));
}
