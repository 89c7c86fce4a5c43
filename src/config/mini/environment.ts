// Where commands run: from mini-SWE-agent's environments to ours.

import { statSync } from "node:fs";
import { basename, isAbsolute, join, normalize, relative } from "node:path";
import { LegionError } from "../../base/errors.ts";
import { isInside } from "../../base/files/project-file.ts";
import { quote } from "../../base/text/wording.ts";
import type { EnvironmentKind } from "../../environment/environment.ts";
import {
  CONTAINER_KINDS,
  isImage,
  isInterpreter,
  isPlaceInside,
  variableFlaw,
  type EnvironmentChoice,
} from "../../environment/settings.ts";
import type { Unhonoured } from "./unknown.ts";
import { atPlace, type Configuration } from "./sources.ts";

export interface MiniEnvironment {
  readonly choice: EnvironmentChoice;
  /** Where in the workspace commands begin; absent: in it. */
  readonly folder?: string;
  readonly timeoutMs: number;
  readonly remarks: readonly Unhonoured[];
}

type EnvironmentKeys = Configuration["sections"]["environment"];

const DEFAULT_SECONDS = 30;
const KINDS: ReadonlyMap<string, EnvironmentKind> = new Map([
  ["local", "local"],
  ["docker", "docker"],
  ["swerex_docker", "docker"],
  ["podman", "podman"],
  ["bubblewrap", "bubblewrap"],
]);
const OURS = "the environment of this project holds: bubblewrap where it works, else local";

/** Throws CONFIG for what cannot be. */
export function readEnvironment(configuration: Configuration, projectDir: string): MiniEnvironment {
  const { environment: keys } = configuration.sections;
  const remarks: Unhonoured[] = [];
  const remark = (key: string, instead: string): void =>
    void remarks.push({ path: ["environment", key], instead });
  const kind = kindOf(keys, remark);
  const isContainer = CONTAINER_KINDS.some((container) => container === kind);
  const place = placeOf(keys.cwd, { isContainer, projectDir, remark });
  for (const [key, instead] of NOT_HONOURED) if (keys[key] !== undefined) remark(key, instead);
  checkVariables(configuration);
  if (place.folder !== undefined && !isFolder(join(projectDir, place.folder)))
    throw wrong(
      configuration,
      ["environment", "cwd"],
      `there is no folder ${JSON.stringify(place.folder)} in the project`,
    );
  const container = isContainer
    ? { image: imageIn(configuration), ...readArgs(keys.run_args, remark), at: place.at }
    : {};
  for (const key of ["image", "run_args"] as const)
    if (!isContainer && keys[key] !== undefined) remark(key, `only docker and podman have that; ${OURS}`);
  const pass = keys.forward_env;
  if (kind === "local" && pass !== undefined) remark("forward_env", "only a sandbox is passed variables");
  return {
    choice: present({
      kind,
      set: keys.env,
      pass: kind === "local" ? undefined : pass,
      interpreter: interpreterOf(keys.interpreter, { isContainer, remark }),
      ...container,
    }),
    folder: place.folder,
    timeoutMs: (keys.timeout ?? DEFAULT_SECONDS) * 1_000,
    remarks,
  };
}

const NOT_HONOURED: readonly (readonly [key: string, instead: string])[] = [
  ["container_timeout", "each command has a container of its own, and ends it"],
  ["pull_timeout", "nothing is fetched: an image that is not here is refused, with what to pull"],
  ["wrapper_args", "our sandbox is made as docs/sandbox.md says"],
];

type TellUnhonoured = (key: string, instead: string) => void;

function kindOf({ environment_class: said, executable, image }: EnvironmentKeys, remark: TellUnhonoured) {
  const kind = said === undefined ? (image === undefined ? undefined : "docker") : KINDS.get(said);
  if (said !== undefined && kind === undefined)
    remark("environment_class", `${quote(said)} is none of ours; ${OURS}`);
  if (said === "swerex_docker") remark("environment_class", "commands run in docker by its command line");
  if (executable === undefined || (kind === "bubblewrap" && executable === "bwrap")) return kind;
  const name = basename(executable);
  const isEngine = CONTAINER_KINDS.some((container) => container === kind);
  const engine = isEngine ? KINDS.get(name) : undefined;
  const holds = engine === "docker" || engine === "podman" ? engine : undefined;
  if (holds === undefined || name !== executable)
    remark("executable", `no path of a program is taken; ${holds ?? kind ?? "what holds"} is found on PATH`);
  return holds ?? kind;
}

interface PlaceDeps {
  readonly isContainer: boolean;
  readonly projectDir: string;
  readonly remark: TellUnhonoured;
}

/** The workspace is what a configuration works on: in a container it is where commands shall begin. */
function placeOf(cwd: string | undefined, { isContainer, projectDir, remark }: PlaceDeps) {
  if (cwd === undefined || cwd === "" || cwd === "/") return {};
  const way = normalize(cwd);
  if (isContainer && isAbsolute(way)) {
    const at = way.replace(/\/$/, "");
    if (isPlaceInside(at)) return { at };
  }
  const folder = isAbsolute(way) ? (isInside(projectDir, way) ? relative(projectDir, way) : "..") : way;
  if (folder === "" || folder === ".") return {};
  if (isInside("/workspace", `/workspace/${folder}`)) return { folder };
  remark("cwd", "it lies outside the workspace, where commands begin");
  return {};
}

function imageIn(configuration: Configuration): string | undefined {
  const { image } = configuration.sections.environment;
  if (image === undefined || isImage(image)) return image;
  throw wrong(configuration, ["environment", "image"], "expected a name such as python:3.11");
}

function checkVariables(configuration: Configuration): void {
  const { env = {}, forward_env: names = [] } = configuration.sections.environment;
  for (const [name, value] of Object.entries(env)) {
    const flaw = variableFlaw(name, value);
    if (flaw !== undefined) throw wrong(configuration, ["environment", "env", name], flaw);
  }
  for (const [index, name] of names.entries())
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw wrong(configuration, ["environment", "forward_env", index], "expected the name of a variable");
}

function wrong({ placeOf: where }: Configuration, path: readonly PropertyKey[], why: string): LegionError {
  return new LegionError("CONFIG", atPlace(where(path), `${path.map(String).join(".")}: ${why}`));
}

/** The shells of docker there begin as login shells. */
function interpreterOf(
  said: readonly string[] | undefined,
  { isContainer, remark }: Pick<PlaceDeps, "isContainer" | "remark">,
): readonly string[] | undefined {
  if (said === undefined) return isContainer ? ["bash", "-lc"] : undefined;
  const [shell = "", ...options] = said;
  const interpreter = [/^(?:\/usr)?\/bin\/(?:ba)?sh$/.test(shell) ? basename(shell) : shell, ...options];
  if (isInterpreter(interpreter)) return interpreter;
  remark("interpreter", "bash runs commands: only bash and sh are taken, with options such as -lc");
  return undefined;
}

/** What ours has anyway is no wish of its own. */
function readArgs(
  args: readonly string[] = [],
  remark: TellUnhonoured,
): Pick<EnvironmentChoice, "args" | "network"> {
  const left: string[] = [];
  let network: EnvironmentChoice["network"];
  for (let at = 0; at < args.length; at++) {
    const [option = "", joined] = args[at]!.split(/=(.*)/s, 2);
    const value = (): string => joined ?? args[++at] ?? "";
    if (option === "--rm") continue;
    if (option === "--cap-drop") value();
    else if (option === "--network" || option === "--net") {
      const name = value();
      network = name === "none" ? "off" : "on";
      if (!["none", "bridge"].includes(name))
        remark("run_args", `the network ${quote(name)} is the bridge here`);
    } else left.push(args[at]!);
  }
  return { network, args: left.length > 0 ? left : undefined };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function present(choice: EnvironmentChoice): EnvironmentChoice {
  return Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== undefined));
}
