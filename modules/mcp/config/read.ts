// The MCP servers that a project names: `.ai-legion/mcp.json`, then `.mcp.json`, then what agents have of their own.

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { SERVER_FILES } from "./files.ts";
import { readEntry, type Entry, type Variables } from "./entry.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_SERVERS = 64;

export interface ServersFound {
  /** In the order of the files; each name once. */
  readonly entries: readonly Entry[];
  /** All names, also of those that are disabled or wrong. */
  readonly names: readonly string[];
  /** What is wrong, a line each: `.mcp.json:3: ...`; may be empty. */
  readonly problems: readonly string[];
}

export interface ServersPlace {
  /** Absolute real path. */
  readonly project: string;
  readonly variables: Variables;
  /** What files of agents hold, in their order; absent: nothing. */
  readonly own?: readonly OwnServer[];
}

/** An entry that stands in the file of an agent. */
export interface OwnServer {
  readonly name: string;
  readonly given: unknown;
  /** How the file is named. */
  readonly file: string;
  readonly line: number;
}

/** Never rejects: what is wrong in one place is said, and the rest works. */
export async function readServers(where: ServersPlace): Promise<ServersFound> {
  const { own = [], ...rest } = where;
  const problems: string[] = [];
  const complainOf =
    (file: string) =>
    (line: number, reason: string): void =>
      void problems.push(oneLine(`${file}:${line}: ${reason}`));
  const { add, entries, places } = gathering(rest);
  for (const file of SERVER_FILES) {
    const complain = complainOf(file);
    const text = await readSmall(join(where.project, file)).catch((error: Error) =>
      complain(1, error.message),
    );
    if (!text) continue;
    const { servers, lineOf } = parse(text, complain);
    for (const [name, given] of Object.entries(servers)) {
      if (places.has(name)) continue;
      const line = lineOf(name);
      if (places.size === MAX_SERVERS) {
        complain(line, TOO_MANY);
        break;
      }
      add({ name, given, file, line }, complain);
    }
  }
  for (const one of own) {
    const complain = complainOf(one.file);
    if (!places.has(one.name) && places.size === MAX_SERVERS) {
      complain(one.line, TOO_MANY);
      break;
    }
    addOwn(one, { add, entries, places }, complain);
  }
  return { entries: [...entries.values()], names: [...places.keys()], problems };
}

const TOO_MANY = `there are more than ${MAX_SERVERS} servers; this and those below are left out`;

type Complain = (line: number, reason: string) => void;

function gathering(where: Omit<ServersPlace, "own">) {
  const entries = new Map<string, Entry>();
  /** Where each name stands first. */
  const places = new Map<string, string>();
  const add = ({ name, given, file, line }: OwnServer, complain: Complain): void => {
    const place = `${file}:${line}`;
    places.set(name, place);
    try {
      const entry = readEntry(given, { ...where, name, place });
      if (entry) entries.set(name, entry);
    } catch (error) {
      complain(line, `server "${name}": ${(error as Error).message}`);
    }
  };
  return { add, entries, places };
}

/** For the agent alone that has it, and for others that have the same. */
function addOwn(
  one: OwnServer,
  { add, entries, places }: ReturnType<typeof gathering>,
  complain: Complain,
): void {
  const { name, file, line } = one;
  const first = places.get(name);
  if (first === undefined) add(one, complain);
  const entry = entries.get(name);
  if (first !== undefined && entry?.says !== JSON.stringify(one.given))
    complain(
      line,
      `server "${name}": ${first} has another of that name, which counts; give one of them another name`,
    );
  else if (entry && (first === undefined || entry.only))
    entries.set(name, { ...entry, only: [...(entry.only ?? []), file] });
}

/** Nothing that is no file, and no link: it would lead out of the project. */
async function readSmall(path: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new Error(
      error.code === "ELOOP" ? "is a link; only a file of the project counts" : "cannot be read",
    );
  });
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error("is no file");
    if (stat.size > MAX_BYTES) throw new Error("is longer than 1 MB");
    const bytes = Buffer.alloc(stat.size);
    const { bytesRead } = await file.read(bytes, 0, stat.size, 0);
    return bytes.toString("utf8", 0, bytesRead).replace(/^\uFEFF/, "");
  } finally {
    await file.close();
  }
}

interface Parsed {
  readonly servers: Readonly<Record<string, unknown>>;
  /** On which line of the file the server is named, from 1. */
  readonly lineOf: (name: string) => number;
}

function parse(text: string, complain: (line: number, reason: string) => void): Parsed {
  const nothing: Parsed = { servers: {}, lineOf: () => 1 };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    complain(lineOfFault(text, (error as Error).message), `not valid JSON: ${(error as Error).message}`);
    return nothing;
  }
  const servers = isMap(json) ? json["mcpServers"] : undefined;
  if (!isMap(servers)) {
    complain(1, 'expected { "mcpServers": { "name": { "command": ... } } }');
    return nothing;
  }
  const lines = linesOfServers(text);
  return { servers, lineOf: (name) => lines.get(name) ?? 1 };
}

/** On which line each name stands, in a text that is JSON. */
function linesOfServers(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  let [line, depth, isInside] = [1, 0, false];
  let last = { text: "", line };
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:\n]/g)) {
    if (token === "\n") line++;
    else if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (token !== ":") last = { text: token, line };
    else if (depth === 1) isInside = JSON.parse(last.text) === "mcpServers";
    else if (depth === 2 && isInside) lines.set(JSON.parse(last.text) as string, last.line);
  }
  return lines;
}

/** Node says it as `position 12`, or that the text ended too soon. */
function lineOfFault(text: string, message: string): number {
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.trimEnd().length);
  return text.slice(0, position).split("\n").length;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What others wrote is quoted, and it may hold anything. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\p{C}/gu, "?").slice(0, 400);
}
