// The MCP servers that a project names, and what of them is a matter of trust.

import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import {
  confinementOf,
  type Confinement,
  type ConfinementSettings,
} from "../../../modules/mcp/config/confinement.ts";
import { SERVER_FILES } from "../../../modules/mcp/config/files.ts";
import { hasServer, type Entry, type ServerChoice } from "../../../modules/mcp/config/entry.ts";
import type { ServersFound } from "../../../modules/mcp/config/read.ts";
import { onceEach } from "../../base/once-each.ts";
import type { Variables } from "../../base/process/variables.ts";
import type { EnvironmentChoice } from "../../environment/settings.ts";
import type { Grant } from "../../storage/folder/person/trust.ts";
import type { ClaudeHomes } from "../claude/files.ts";
import { ownServers } from "../claude/own-servers.ts";
import type { Definition } from "../definition.ts";
import type { Trust, WantedGrant } from "../grants/grant.ts";
import { shownEntry } from "./shown-entry.ts";

export type McpConfig = {
  /** Names of those whose word on what their tools do is taken, once a person allowed them with that. */
  readonly trusted: readonly string[];
  /** Where they run, and what they reach, as far as somebody said so. */
  readonly confinement: ConfinementSettings;
  /** Those that the project names, allowed or not, as its files are now. Never rejects. */
  servers(): Promise<ServersFound>;
  /** Is there one for agents of which nobody says otherwise? */
  hasSandbox(): Promise<boolean>;
};

/** Looks at the machine once, where `kind` leaves that open, and only when somebody asks. */
export function sandboxOf(kind: EnvironmentChoice["kind"], variables: Variables): McpConfig["hasSandbox"] {
  const look = onceEach(async () => {
    const { findEnvironment } = await import("../../environment/open.ts");
    return (kind ?? (await findEnvironment(variables)).kind) !== "local";
  });
  return () => look("");
}

/** Never rejects. Every command asks, for the secrets that they name: what nobody needs is not loaded. */
export async function serversIn(homes: ClaudeHomes, variables: Variables): Promise<ServersFound> {
  const { projectDir } = homes;
  const areThere = await Promise.all(SERVER_FILES.map((file) => isThere(join(projectDir, file))));
  const own = await ownServers(homes);
  if (!areThere.includes(true) && own.length === 0) return { entries: [], names: [], problems: [] };
  const { readServers } = await import("../../../modules/mcp/config/read.ts");
  return readServers({ project: await realpath(projectDir), variables, own });
}

/** Is there anything of that name, also what cannot be read? */
async function isThere(path: string): Promise<boolean> {
  const absent = ({ code }: NodeJS.ErrnoException): boolean => code === "ENOENT" || code === "ENOTDIR";
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => !absent(error),
  );
}

/** The variables or the headers that the entry names, what it gives options, and the parts of its URL. */
export function namedBy({ way }: Pick<Entry, "way">): Variables {
  if (way.kind === "stdio") return { ...optionsIn(way.args), ...way.env };
  const { pathname, searchParams } = new URL(way.url);
  const parts = pathname.split("/").map((part, at) => [`path-${at}`, part] as const);
  return { ...Object.fromEntries([...parts, ...searchParams]), ...way.headers };
}

/** `--token abc` and `--token=abc` */
function optionsIn(args: readonly string[]): Variables {
  const named = args.flatMap((arg, at): readonly (readonly [string, string])[] => {
    const [, option = "", given = ""] = /^(-[^=]*)=(.*)$/s.exec(arg) ?? ["", args[at - 1], arg];
    return option.startsWith("-") && !given.startsWith("-") ? [[option, given]] : [];
  });
  return Object.fromEntries(named);
}

/** What holds: where there is no sandbox, what would run in it runs outside. */
async function held(entry: GrantedEntry, { confinement, hasSandbox }: ServerSettings): Promise<Confinement> {
  const { outside } = confinement;
  const wanted = confinementOf(entry, confinement);
  if (wanted.where !== "sandbox" || (await hasSandbox())) return wanted;
  return confinementOf(entry, { ...confinement, outside: [...outside, entry.name] });
}

/** What allows a server: this entry of this project, whether it is taken at its word, where it runs and what it reaches there. */
export async function serverGrant(entry: GrantedEntry, settings: ServerSettings): Promise<Grant> {
  const { name, hash } = entry;
  const { trusted } = settings;
  const { where, network, workspace } = await held(entry, settings);
  const reached = typeof network === "string" ? network : network.join(" ");
  const parts = [
    hash,
    ...(trusted.includes(name) ? ["trusted"] : []),
    ...(where === "outside" ? ["outside"] : []),
    ...(where === "sandbox" && workspace === "writes" ? ["writes"] : []),
    ...(where === "sandbox" && reached !== "off" ? [`network ${reached}`] : []),
  ];
  return { what: `mcp ${name}`, value: parts.join(" ") };
}

export type GrantedEntry = Pick<Entry, "name" | "hash" | "way" | "project">;
type ServerSettings = Pick<McpConfig, "trusted" | "confinement" | "hasSandbox">;

/** For people: what is allowed. */
function beginning({ name, way }: GrantedEntry, { where, network, workspace }: Confinement): string {
  if (way.kind !== "stdio") return `connect to the MCP server ${name} at ${new URL(way.url).host}`;
  const start = `start the MCP server ${name}`;
  if (where === "outside") return `${start}, without a sandbox`;
  const writing = workspace === "writes" ? ", writing in the workspace" : "";
  const inside = `${start}, in the sandbox of its agents${writing}`;
  if (network === "on") return `${inside}, reaching every host and what listens on this machine`;
  return network === "off" || network.length === 0
    ? `${inside}, without a network`
    : `${inside}, reaching ${network.join(", ")}`;
}

/** Which servers a definition has. */
export function serverChoice({ mcp = "all", file }: Pick<Definition, "mcp" | "file">): ServerChoice {
  return { names: mcp, file };
}

/** A grant for each server that one of `choices` has; absent: for all. */
export async function serverGrants(
  mcp: McpConfig,
  trust: Trust,
  choices?: readonly ServerChoice[],
): Promise<readonly WantedGrant[]> {
  const { entries } = await mcp.servers();
  const wanted = entries.filter((entry) => choices?.some((choice) => hasServer(choice, entry)) ?? true);
  return Promise.all(
    wanted.map(async (entry) => {
      const grant = await serverGrant(entry, mcp);
      const word = mcp.trusted.includes(entry.name) ? ", and take its word for what its tools do" : "";
      return {
        ...grant,
        says: `${beginning(entry, await held(entry, mcp))}: ${shownEntry(entry)}${word}`,
        by: entry.place,
        isGranted: trust.isGranted(grant),
      };
    }),
  );
}
