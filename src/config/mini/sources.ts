// What --config names: files and single values, one after the other, as one configuration that knows who said what.

import { stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { LegionError } from "../../base/errors.ts";
import { readTextFile, shownPath } from "../../base/files/project-file.ts";
import { explainIssue, oneLine, readYaml, withoutNulls } from "../files/yaml.ts";
import { PYTHON_YAML } from "./dialect.ts";
import { float } from "../../base/template/templates.ts";
import { isMap, keptOf, sumOf, type KeptSource, type SaidKeys } from "./kept.ts";
import { miniSections, type MiniSections } from "./sections.ts";

export interface ConfigurationFolders {
  /** Absolute: what paths are relative to, else to the project. */
  readonly cwd: string;
  readonly projectDir: string;
}

/** A path of keys, such as `["agent", "step_limit"]`. */
export type KeyPath = readonly PropertyKey[];

interface NamedSource {
  /** A file as people know it; absent: it was typed. */
  readonly file?: string;
  /** Absolute, of such a file. */
  readonly path?: string;
  readonly sum?: string;
  readonly said: SaidKeys;
  /** For people: how what is kept of it differs from what is there; absent: it does not. */
  readonly change?: string;
  /** For people. */
  placeOf(path: KeyPath): string;
  placeWithin(path: KeyPath, line: number): string;
}

export interface Configuration {
  readonly sections: MiniSections;
  /** Those that were read, each once; as people know them. */
  readonly files: readonly string[];
  /** As they are kept. */
  readonly kept: readonly KeptSource[];
  /** For people, a line each: which files are not what they were when the agent began. */
  readonly changes: readonly string[];
  /** The file that says it last; `undefined`: the person typed it, or nobody says it. */
  fileOf(path: KeyPath): string | undefined;
  /** For people: where it is said last, `mini.yaml:12` or `--config agent.mode`. */
  placeOf(path: KeyPath): string;
  /** The same of a line of the text that is said there, from 1. */
  placeWithin(path: KeyPath, line: number): string;
}

/** What aliases may make of it. */
const MAX_CHARS = 4_194_304;

/** Throws USAGE for a file that there is not, CONFIG for what is wrong in one, each in one line that names the place. */
export async function readSources(
  specs: readonly (string | KeptSource)[],
  folders: ConfigurationFolders,
): Promise<Configuration> {
  const sources: NamedSource[] = [];
  for (const spec of specs)
    if (typeof spec === "object") sources.push(await readKept(spec, folders));
    else sources.push(spec.includes("=") ? readValue(spec) : await readFile(spec, folders));
  const merged = sources.reduce<SaidKeys>((before, { said }) => merge(before, said), {});
  const lastOf = (path: KeyPath): NamedSource | undefined => sources.findLast(({ said }) => says(said, path));
  const placeOf = (path: KeyPath): string => (lastOf(path) ?? nearestOf(path, sources)).placeOf(path);
  const read = miniSections.safeParse(withoutNulls(merged), { reportInput: true });
  if (!read.success) {
    const issue = read.error.issues[0]!;
    throw new LegionError("CONFIG", atPlace(placeOf(issue.path), oneLine(explainIssue(issue))));
  }
  return {
    sections: read.data,
    files: [...new Set(sources.flatMap(({ file }) => file ?? []))],
    kept: sources.map(({ path, sum, said }) => ({ file: path, sum, said: keptOf(said) })),
    changes: sources.flatMap(({ change }) => change ?? []),
    fileOf: (path) => lastOf(path)?.file,
    placeOf,
    placeWithin: (path, line) => (lastOf(path) ?? nearestOf(path, sources)).placeWithin(path, line),
  };
}

/** Of what is missing: whoever says most of the way to it. */
function nearestOf(path: KeyPath, sources: readonly NamedSource[]): NamedSource {
  const around = path.slice(0, -1);
  const near = sources.findLast(({ said }) => says(said, around));
  return near ?? (around.length === 0 ? sources.at(-1)! : nearestOf(around, sources));
}

/** The whole path of a file; a value, and what is no file, as it is. */
export async function wholePath(spec: string, folders: ConfigurationFolders): Promise<string> {
  return spec.includes("=") ? spec : ((await findFile(spec, folders))?.path ?? spec);
}

async function findFile(spec: string, { cwd, projectDir }: ConfigurationFolders) {
  const names = [".yaml", ".yml"].includes(extname(spec)) ? [spec] : [spec, `${spec}.yaml`];
  for (const name of names)
    for (const folder of new Set([cwd, projectDir])) {
      const path = resolve(folder, name);
      const file = shownPath(projectDir, path);
      const text = await readTextFile(path, file);
      if (text !== undefined) return { path, file, text };
    }
  return undefined;
}

/** What the file said then. */
async function readKept(
  { file: path, sum, said }: KeptSource,
  { projectDir }: ConfigurationFolders,
): Promise<NamedSource> {
  if (path === undefined) return { said, placeOf: placeTyped, placeWithin: placeTyped };
  const file = shownPath(projectDir, path);
  const text = await readTextFile(path, file).catch(() => undefined);
  const how = text === undefined ? "is gone" : sumOf(text) === sum ? undefined : "changed";
  const cure = `what it said then holds${text === undefined ? "" : `, --config ${file} takes it as it is`}`;
  const change = how && `${file} ${how} since this was begun: ${cure}`;
  return { file, path, sum, said, change, placeOf: () => file, placeWithin: () => file };
}

const TYPED = "--config ";

function placeTyped(path: KeyPath): string {
  return TYPED + path.map(String).join(".");
}

/** What is wrong there, in words that begin with the key: a value that was typed has that as its place. */
export function atPlace(place: string, words: string): string {
  const typed = place.startsWith(TYPED) ? place.slice(TYPED.length) : undefined;
  const isNamed = words.startsWith(`${typed}: `) || words.startsWith(`${typed} `);
  return isNamed ? TYPED + words : `${place}: ${words}`;
}

async function readFile(spec: string, folders: ConfigurationFolders): Promise<NamedSource> {
  const found = await findFile(spec, folders);
  if (found)
    return { ...(await readDocument(found.file, found.text)), path: found.path, sum: sumOf(found.text) };
  const way = "name a file of yours, or a value such as agent.step_limit=5; prompts of ours are --agent swe";
  const shown = JSON.stringify(spec.slice(0, 200));
  const what = (await isFolder(spec, folders)) ? `${shown} is a folder` : `there is no file ${shown}`;
  throw new LegionError("USAGE", `--config: ${what}: ${way}`);
}

async function isFolder(spec: string, { cwd, projectDir }: ConfigurationFolders): Promise<boolean> {
  const found = [cwd, projectDir].map((folder) => stat(resolve(folder, spec)).catch(() => undefined));
  return (await Promise.all(found)).some((one) => one?.isDirectory());
}

async function readDocument(file: string, text: string): Promise<NamedSource> {
  const { value, lineOf, lineWithin } = await readYaml({ file, text, firstLine: 1 }, PYTHON_YAML);
  if (!isMap(value))
    throw new LegionError("CONFIG", `${file}:1: expected a map of agent, environment and model`);
  if (JSON.stringify(value).length > MAX_CHARS)
    throw new LegionError("CONFIG", `${file}:1: its aliases make more than ${MAX_CHARS} characters of it`);
  return {
    file,
    said: withEnvironment(value),
    placeOf: (path) => `${file}:${lineOf(asWritten(path, value))}`,
    placeWithin: (path, line) => `${file}:${lineWithin(asWritten(path, value), line)}`,
  };
}

/** `agent.step_limit=5`: JSON behind the sign, or else a text. */
function readValue(spec: string): NamedSource {
  const at = spec.indexOf("=");
  const [key, text] = [spec.slice(0, at), spec.slice(at + 1)];
  const keys = key.split(".");
  if (keys.some((one) => one.trim() === "" || one === "__proto__"))
    throw new LegionError("USAGE", `--config: expected a key before =, such as agent.step_limit=5`);
  const said = keys.reduceRight<unknown>((value, one) => ({ [one]: value }), jsonIn(text)) as SaidKeys;
  const place = TYPED + oneLine(key);
  return { said: withEnvironment(said), placeOf: () => place, placeWithin: () => place };
}

function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" && /[.eE]/.test(text) ? float(value) : value;
  } catch {
    return text;
  }
}

/** Version 1 called the section so. */
function withEnvironment({ env, ...said }: SaidKeys): SaidKeys {
  if (env === undefined || env === null) return said;
  return isMap(env) && isMap(said["environment"] ?? {})
    ? { ...said, environment: merge(env, (said["environment"] ?? {}) as SaidKeys) }
    : { ...said, environment: said["environment"] ?? env };
}

/** Where in the file what is said at `path` stands. */
function asWritten(path: KeyPath, value: SaidKeys): KeyPath {
  const [section, ...rest] = path;
  const former = ["env", ...rest];
  return section === "environment" && !says(value, path) && says(value, former) ? former : path;
}

/** What comes later weighs more, key by key; what is said to be nothing is nothing again. */
function merge(before: SaidKeys, after: SaidKeys): SaidKeys {
  const merged: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(after)) {
    if (key === "__proto__") continue;
    const old = merged[key];
    merged[key] = isMap(old) && isMap(value) ? merge(old, value) : value;
  }
  return merged;
}

function says(said: unknown, path: KeyPath): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (Array.isArray(said)) return Number(key) in said && says(said[Number(key)], rest);
  return isMap(said) && Object.hasOwn(said, key) && says(said[key as string], rest);
}
