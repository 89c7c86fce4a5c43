// The MCP servers that stand in the files of agents, as entries of `mcpServers`.

import type { OwnServer } from "../../../modules/mcp/config/read.ts";
import { readTextFile } from "../../base/files/project-file.ts";
import { claudeFiles, ofEach, type ClaudeFile, type ClaudeHomes } from "./files.ts";

const KEY = /^mcpServers:/;

/** In the order of the files. Never rejects: what cannot be read has none. */
export async function ownServers(homes: ClaudeHomes): Promise<readonly OwnServer[]> {
  return (await ofEach(await claudeFiles(homes), serversOf)).flat();
}

async function serversOf({ path, shown }: ClaudeFile): Promise<readonly OwnServer[]> {
  const text = await readTextFile(path, shown).catch(() => undefined);
  if (text === undefined || !new RegExp(KEY, "m").test(text)) return [];
  // A parser of YAML comes with it.
  const { readClaudeFile, serversSaid } = await import("./front-matter.ts");
  const said = serversSaid(readClaudeFile(text)?.fields.get("mcpServers"));
  const lines = text.split(/\r\n|\n|\r/);
  return [...(said?.own ?? [])].map(([name, given]) => ({
    ...{ name, given, file: shown },
    line: lineOf(name, lines),
  }));
}

/** From 1; that of the key where the name is not written as it is. */
function lineOf(name: string, lines: readonly string[]): number {
  const key = lines.findIndex((line) => KEY.test(line));
  const own = lines.findIndex(
    (line, at) => at > key && line.replace(/^[\s-]*["']?/, "").startsWith(name) && line.includes(":"),
  );
  return (own < 0 ? key : own) + 1;
}
