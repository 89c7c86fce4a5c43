// Modules by name or by path: ours are imported once an agent names them, a user's from a file of the project.

import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { LegionError, messageOf } from "../base/errors.ts";
import type { Module } from "../domain/authoring/module.ts";
import { nearest } from "../base/text/nearest.ts";
import { excerptAt, placeOfFault, showPlace } from "../base/process/own-code.ts";
import { findInProject } from "../base/files/project-file.ts";
import { offerSelfImport } from "./self-import.ts";
import type { WantedGrant } from "./grants/grant.ts";
import { section } from "./files/settings.ts";
import { refusalOfType } from "../base/process/typescript.ts";
import { explainIssue, oneLine } from "./files/yaml.ts";

const BUILT_IN: ReadonlyMap<string, () => Promise<Module>> = new Map([
  ["core", async () => (await import("../../modules/core.ts")).core],
  ["goals", async () => (await import("../../modules/goals.ts")).goals],
  ["notes", async () => (await import("../../modules/notes.ts")).notes],
  ["messaging", async () => (await import("../../modules/messaging.ts")).messaging],
  ["system", async () => (await import("../../modules/system/index.ts")).system],
  ["session", async () => (await import("../../modules/session.ts")).session],
  ["skills", async () => (await import("../../modules/skills/index.ts")).skills],
  ["web", async () => (await import("../../modules/web/index.ts")).web],
  ["bash", async () => (await import("../../modules/bash/index.ts")).bash],
  ["memory", async () => (await import("../../modules/memory/index.ts")).memory],
  ["scribe", async () => (await import("../../modules/memory/scribe/index.ts")).scribeActions],
  ["mcp", async () => (await import("../../modules/mcp/index.ts")).mcp],
]);

/** They come with a protocol or a director: nobody has to name them. */
const UNNAMED: ReadonlySet<string> = new Set(["bash", "scribe"]);

/** What a project brings along and a start would run. */
export interface Brought {
  /** Absolute paths of module files. */
  readonly modules: readonly string[];
  /** What its files say and only the person may, granted or not. */
  readonly grants: readonly WantedGrant[];
}

/** Resolves if the code may run; rejects with the reason and the way out if not. */
export type Admit = (brought: Brought) => Promise<void>;

export interface ModulePlaces {
  readonly projectDir: string;
  /** Asked before anything of a project is imported; absent: whoever calls has decided that it may run. */
  readonly admit?: Admit;
  /** Of a program's own, by their names: they come first. */
  readonly given?: GivenModules;
}

export type GivenModules = ReadonlyMap<string, Module>;

/** Is it the name of a module of our own? */
export function isBuiltIn(reference: string): boolean {
  return BUILT_IN.has(reference);
}

/**
 * The modules that `references` name, in their order: names of our own, or paths such as `./my-module.js` of files inside
 * the project, whose code runs. Throws CONFIG with one line that says which is wrong, and how.
 */
export async function loadModules(
  references: readonly string[],
  { projectDir, admit, given }: ModulePlaces,
): Promise<readonly Module[]> {
  const files = await moduleFiles(references, { projectDir, given });
  if (files.size > 0) await admit?.({ modules: [...files.values()], grants: [] });
  const loaded = new Map<string, Module>();
  for (const reference of references) {
    const file = files.get(reference);
    const own = async () =>
      file === undefined ? BUILT_IN.get(reference)!() : loadFile(reference, { path: file, projectDir });
    const module = given?.get(reference) ?? (await own());
    if (loaded.has(module.name)) refuse(reference, `there is a module named "${module.name}" already`);
    loaded.set(module.name, module);
  }
  return [...loaded.values()];
}

/** Those of our own whose state people read in files. */
export async function readableModules(): Promise<readonly Module[]> {
  const own = await Promise.all([...BUILT_IN.values()].map((load) => load()));
  return own.filter(({ projection }) => projection !== undefined);
}

/** The absolute paths of those of `references` that are files. Runs nothing. Throws as `loadModules` does. */
export async function moduleFiles(
  references: readonly string[],
  { projectDir, given }: Omit<ModulePlaces, "admit">,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const reference of references) {
    if (!BUILT_IN.has(reference) && !given?.has(reference))
      files.set(reference, await findModuleFile(reference, projectDir));
  }
  return files;
}

/** A path and no name: whether there is such a file is another question. */
export function isFileReference(reference: string): boolean {
  return /^\.[\\/]/.test(reference);
}

/** The absolute path of the file that `reference` names. Throws CONFIG if it names none that could be a module. */
export async function findModuleFile(reference: string, projectDir: string): Promise<string> {
  if (!isFileReference(reference)) {
    const names = [...BUILT_IN.keys()].filter((name) => !UNNAMED.has(name));
    const [meant] = nearest(reference, names);
    const known = `known: ${names.join(", ")}, or the path of a file such as ./my-module.js`;
    refuse(reference, `there is no such module; ${meant ? `did you mean "${meant}"?` : known}`);
  }
  const path = await findInProject(projectDir, reference);
  if (path === undefined) refuse(reference, "there is no such file in the project");
  const refusal = refusalOfType(extname(path));
  if (refusal) refuse(reference, refusal);
  return path;
}

interface ModuleFile {
  readonly path: string;
  readonly projectDir: string;
}

async function loadFile(reference: string, file: ModuleFile): Promise<Module> {
  offerSelfImport();
  const exported = await import(pathToFileURL(file.path).href).catch((error: unknown) =>
    refuseFault(reference, error, file),
  );
  return pickModule(reference, exported);
}

/** Says what went wrong at importing a file, with its line and the code around it. */
async function refuseFault(
  reference: string,
  error: unknown,
  { path, projectDir }: ModuleFile,
): Promise<never> {
  const place = await placeOfFault(error, path, projectDir);
  const where = place ? `${showPlace(place, projectDir)}: ` : "";
  const excerpt = place && (await excerptAt(place));
  const reason = oneLine(`it could not be loaded: ${where}${messageOf(error)}`);
  throw new LegionError("CONFIG", `module ${JSON.stringify(reference)}: ${reason}`, {
    cause: error,
    excerpt,
  });
}

/** The default export if that is a module, else the only other one. */
function pickModule(reference: string, exported: Readonly<Record<string, unknown>>): Module {
  const { default: byDefault, ...named } = exported;
  const candidates = isCandidate(byDefault)
    ? [byDefault]
    : [...new Set(Object.values(named).filter(isCandidate))];
  if (candidates.length > 1)
    refuse(reference, "it exports several modules; make one of them the default export");
  const [module] = candidates;
  if (module === undefined) refuse(reference, "it exports no module; export what defineModule returns");
  return checkModule(module, reference);
}

/** Throws CONFIG with one line that says how what is called `reference` is no module. */
export function checkModule(module: object, reference: string): Module {
  const checked = moduleShape.safeParse(module, { reportInput: true });
  if (!checked.success) {
    const { issues } = checked.error;
    // A key that is missing may only be misspelt.
    refuse(reference, explainIssue(issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!));
  }
  return module as Module;
}

function isCandidate(value: unknown): value is object {
  return typeof value === "object" && value !== null && "actions" in value;
}

const callable = z.custom((value) => typeof value === "function", "expected a function");
const actionName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "expected a name of letters and digits");
/** What the runtime itself keeps in an agent's folder. */
const OWN_FILES = ["agent.json", "log", "mailbox", "blobs", "running.out", "background", "undo"];
const fileName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "expected a plain file name in lower case")
  .refine((name) => !OWN_FILES.includes(name), `expected another name than ${OWN_FILES.join(", ")}`);
const moduleShape = section({
  name: z
    .string("expected a name")
    .regex(/^[a-z][a-z0-9-]{0,63}$/, "expected lower-case letters, digits and dashes"),
  instructions: callable.optional(),
  pinnedMessage: callable.optional(),
  objective: callable.optional(),
  projection: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("file"), name: fileName }),
      z.object({
        kind: z.literal("folder"),
        name: fileName,
        extension: z.string().regex(/^\.?[a-z0-9]{1,8}$/),
      }),
    ])
    .optional(),
  place: z.literal("workspace", "expected workspace, or nothing").optional(),
  offers: section({ find: callable, actions: callable.optional() }).optional(),
  actions: z.record(
    actionName,
    section({
      description: z.string("expected a sentence").min(1, "expected a sentence"),
      parameters: z.custom(
        isParameters,
        "expected what defineAction makes of zod schemas; use the z of ai-legion",
      ),
      schema: z.looseObject({ type: z.literal("object") }).optional(),
      effects: z.enum(["reads", "none", "idempotent", "once"], "expected reads, none, idempotent or once"),
      touches: z.union([z.literal("undeclared"), callable], "expected a list, or a function"),
      aliases: z.array(actionName, "expected a list of names"),
      execute: callable,
    }),
  ),
});

/** True for what zod 4 checks, whichever copy of it made the schemas. */
function isParameters(value: unknown): boolean {
  if (!(value instanceof z.ZodObject)) return value instanceof z.ZodType;
  return Object.values(value.shape).every((schema) => schema instanceof z.ZodType);
}

function refuse(reference: string, reason: string, cause?: unknown): never {
  throw new LegionError("CONFIG", `module ${JSON.stringify(reference)}: ${oneLine(reason)}`, { cause });
}
