// One entry of `mcpServers`, as people write it for many programs: which server it names, and how it is reached.

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { z } from "zod";
import { isAmong } from "../tools/names.ts";

export type Way =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** What the entry names of the environment; values may be secrets. */
      readonly env: Readonly<Record<string, string>>;
      /** Absolute path. */
      readonly cwd: string;
    }
  | {
      readonly kind: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

export interface Entry {
  readonly name: string;
  readonly way: Way;
  /** Of the project, the name and all that the entry says, before variables are put in; and of where a URL leads with them. */
  readonly hash: string;
  /** The entry as it is written, in one line of JSON. */
  readonly says: string;
  /** For people: `.mcp.json:12`. */
  readonly place: string;
  /** Absolute real path of the project. */
  readonly project: string;
  /** The files of the agents that alone have it; absent: any agent may. */
  readonly only?: readonly string[];
}

/** Which servers an agent has. */
export interface ServerChoice {
  readonly names: "all" | readonly string[];
  /** That of the agent, as `Entry.only` has it; absent: no server stands there. */
  readonly file?: string;
}

export function hasServer(
  { names, file }: ServerChoice,
  { name, only }: Pick<Entry, "name" | "only">,
): boolean {
  if (only && (file === undefined || !only.includes(file))) return false;
  return isAmong(names, name);
}

/** What variables of the person's environment hold. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Where an entry was found. */
export interface EntryPlace {
  readonly name: string;
  readonly place: string;
  /** Absolute real path. */
  readonly project: string;
  readonly variables: Variables;
}

const TYPES: ReadonlyMap<string, Way["kind"]> = new Map([
  ["stdio", "stdio"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamable_http", "http"],
  ["streamableHttp", "http"],
  ["sse", "sse"],
]);

const texts = (what: string) =>
  z.record(z.string(), z.string(`expected texts in ${what}`), `expected a map as ${what}`);
const NAME =
  "expected a name of letters, digits, spaces and any of . _ - as the server's, at most 64 characters";
const MAX_TEXT = 32_768;
const text = (what: string) => z.string(`expected a text as ${what}`).max(MAX_TEXT, `${what} is too long`);
/** In none of these can a variable be told from its value, or from the next one. */
const NO_VARIABLE = /^$|[=\s\0]/;

/** Other programs have keys of their own, which mean nothing here. */
const shape = z.looseObject(
  {
    type: z.string("expected a text as type").optional(),
    command: text("command").min(1, "command is empty").optional(),
    args: z.array(text("an argument"), "expected a list as args").max(1_000).optional(),
    env: texts("env").optional(),
    cwd: text("cwd").optional(),
    url: text("url").optional(),
    headers: texts("headers").optional(),
    disabled: z.boolean("expected true or false as disabled").optional(),
  },
  "expected a map with command or url",
);

/** `undefined` if the entry is disabled. Throws with what is wrong with it, in one sentence. */
export function readEntry(given: unknown, where: EntryPlace): Entry | undefined {
  const { name, place, project, variables } = where;
  const parsed = shape.safeParse(given);
  if (!parsed.success) throw new Error(parsed.error.issues[0]!.message);
  const entry = parsed.data;
  if (entry.disabled) return undefined;
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(name)) throw new Error(NAME);
  if (Object.keys(entry.env ?? {}).some((key) => NO_VARIABLE.test(key)))
    throw new Error("expected names of variables in env");
  const put = (value: string): string => putVariables(value, variables);
  const putAll = (values: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, put(value)]));
  const kind = kindOf(entry);
  const way: Way =
    kind === "stdio"
      ? {
          kind,
          command: put(entry.command!),
          args: (entry.args ?? []).map(put),
          env: putAll(entry.env),
          cwd: resolve(project, put(entry.cwd ?? ".")),
        }
      : { kind, url: checkUrl(put(entry.url!)), headers: putAll(entry.headers) };
  const says = JSON.stringify(given);
  const hash = createHash("sha256")
    .update(JSON.stringify([project, name, says, ...(way.kind === "stdio" ? [] : [new URL(way.url).origin])]))
    .digest("hex");
  return { name, way, says, place, project, hash: hash.slice(0, HASH_LENGTH) };
}

/** Whoever writes the entry could look for two of the same hash: that has to stay out of reach. */
const HASH_LENGTH = 32;

function kindOf({ type, command, url }: z.output<typeof shape>): Way["kind"] {
  if (command !== undefined && url !== undefined)
    throw new Error("has a command and a url; leave out the one that is not meant");
  if (command === undefined && url === undefined) throw new Error('"command" or "url" is missing');
  const kind = type === undefined ? (command === undefined ? "http" : "stdio") : TYPES.get(type);
  if (kind === undefined) throw new Error("expected stdio, http or sse as type");
  if ((kind === "stdio") !== (command !== undefined))
    throw new Error(`type is ${type} and needs a ${kind === "stdio" ? "command" : "url"}`);
  return kind;
}

function checkUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error("expected a url such as https://example.com/mcp");
  const { username, password } = new URL(url);
  if (`${username}${password}` !== "")
    throw new Error(
      "url has a user name or a password in it; leave out what stands before the @, and name it in headers",
    );
  return url;
}

/** `${NAME}` and `${NAME:-what stands for it}`. Throws if there is no such variable. */
function putVariables(value: string, variables: Variables): string {
  // It would end there, for whoever is given it.
  if (value.includes("\0")) throw new Error("has a NUL character in it; leave it out");
  return value.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, instead?: string) => {
    const held = Object.hasOwn(variables, name) ? variables[name] : undefined;
    // As a shell does it: empty counts as unset where there is something instead.
    const put = instead === undefined ? held : held || instead;
    if (put === undefined)
      throw new Error(`the variable ${name} is not set; set it, or write \${${name}:-default}`);
    return put;
  });
}
