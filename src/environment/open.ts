// Which environment an agent gets.

import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { LegionError } from "../base/errors.ts";
import { isInside } from "../base/files/project-file.ts";
import { enumerate, quote } from "../base/text/wording.ts";
import { isProtected } from "../domain/authoring/protected.ts";
import { createBubblewrap } from "./bubblewrap/bubblewrap.ts";
import { probeBubblewrap, thisMachine, type Probe } from "./bubblewrap/probe.ts";
import { findProgram, holds } from "./bubblewrap/system.ts";
import { createContainerEnvironment } from "./container/container.ts";
import type { Environment, EnvironmentKind, EnvironmentPlace, OpenEnvironment } from "./environment.ts";
import { createLocalEnvironment } from "./local.ts";
import { readableFolders } from "./guard/readable.ts";
import { makeOwnFolders } from "./lodging.ts";
import type { EnvironmentChoice } from "./settings.ts";

/** What was found of the machine that decides it. */
export interface EnvironmentFinding {
  /** What an agent gets of whom nobody says otherwise. */
  readonly kind: EnvironmentKind;
  /** For people, one line: what it is, or why there is no sandbox, and what helps. */
  readonly why: string;
  readonly probe: Probe;
}

/** Tries it once; whoever opens many environments asks once. */
export async function findEnvironment(variables: NodeJS.ProcessEnv): Promise<EnvironmentFinding> {
  const probe = await probeBubblewrap(thisMachine(variables));
  return probe.works
    ? { kind: "bubblewrap", why: "bubblewrap works", probe }
    : { kind: "local", why: `${probe.reason}; what helps: ${probe.help}`, probe };
}

export interface EnvironmentOrder {
  readonly choice: EnvironmentChoice;
  readonly finding: EnvironmentFinding;
  /** Of the runtime. */
  readonly variables: NodeJS.ProcessEnv;
}

/** Throws CONFIG, with one line, where what was chosen is not to be had. */
export function environmentFor(order: EnvironmentOrder): OpenEnvironment {
  const { choice, finding, variables } = order;
  const { kind = finding.kind } = choice;
  switch (kind) {
    case "bubblewrap":
      return (place) => openBubblewrap(order, place);
    case "local":
      refuseForLocal(choice);
      return () => Promise.resolve(createLocalEnvironment(variables));
    case "docker":
    case "podman":
      return containerFor({ ...order, kind });
  }
}

/** One that most programs for Linux run in, with bash. */
const IMAGE = "docker.io/library/debian:stable-slim";

function containerFor({
  choice,
  variables,
  kind,
}: EnvironmentOrder & { readonly kind: "docker" | "podman" }): OpenEnvironment {
  const { network = "off", pass = [], image = IMAGE, args = [] } = choice;
  const refuse = (why: string) => new LegionError("CONFIG", `environment: ${why}`);
  const program = findProgram(kind, variables["PATH"] ?? "");
  if (program === undefined)
    throw refuse(`${kind} is not installed; install it, or write bubblewrap or local`);
  if (typeof network !== "string")
    throw refuse(
      `with ${kind} the network is off or on; single hosts are for bubblewrap, as an image need not hold what leads to them`,
    );
  return async (place) =>
    createContainerEnvironment({
      ...{ kind, program, place, variables, network, pass, image, args },
      confinement: confinementOf(kind, choice),
      read: (choice.read ?? []).map((path) => readable(path, { ...variables }, place)),
      // What lies in the hidden state of the legion cannot be shown there.
      shown: (await readableFolders(place)).filter(({ path }) => !isInside(place.workspace, path)),
      folders: await makeOwnFolders(place),
      description: `in a container of ${kind}, ${image}: they reach the workspace${described(network)}`,
    });
}

function refuseForLocal({ kind, network, read, pass, image, args }: EnvironmentChoice): void {
  const said = Object.entries({ network, read, pass, image, args }).filter(
    ([, value]) => value !== undefined,
  );
  // Who only says what a sandbox has leaves it open whether there is one.
  if (kind === undefined || said.length === 0) return;
  const names = enumerate(said.map(([name]) => name));
  throw new LegionError(
    "CONFIG",
    `environment: local is no sandbox, so ${names} would mean nothing; leave that out`,
  );
}

async function openBubblewrap(
  { choice, finding: { probe }, variables }: EnvironmentOrder,
  place: EnvironmentPlace,
): Promise<Environment> {
  if (!probe.works) {
    const { reason, help } = probe;
    throw new LegionError("CONFIG", `environment: bubblewrap does not work here: ${reason} (${help})`);
  }
  const { network = "off", pass = [] } = choice;
  const hosts = typeof network === "string" ? [] : network;
  const read = (choice.read ?? []).map((path) => readable(path, { ...variables }, place));
  return createBubblewrap({
    ...{ place, variables, read, pass, hosts },
    confinement: confinementOf("bubblewrap", choice),
    folders: await makeOwnFolders(place),
    program: probe.program,
    abilities: probe.abilities,
    network: network === "on" ? "on" : "off",
    description: `in a sandbox: they reach the workspace${described(network)}`,
  });
}

function confinementOf(
  kind: EnvironmentKind,
  { network, read, pass, image, args }: EnvironmentChoice,
): string {
  return JSON.stringify([kind, network, read, pass, image, args]);
}

function described(network: NonNullable<EnvironmentChoice["network"]>): string {
  if (network === "on") return " and every host";
  return network === "off" || network.length === 0 ? ", and no network" : ` and ${network.join(", ")}`;
}

function readable(path: string, variables: NodeJS.ProcessEnv, place: EnvironmentPlace): string {
  const home = variables["HOME"] ?? homedir();
  const full = path.startsWith("~/") ? join(home, path.slice(2)) : path;
  const refuse = (why: string) => new LegionError("CONFIG", `environment: read: ${quote(path)} ${why}`);
  if (!isAbsolute(full)) throw refuse("is no absolute path, and none that begins with ~/");
  const real = existsSync(full) ? realpathSync(full) : full;
  if (holds(real, variables, place))
    throw refuse("holds more than commands may see; name what they need in it");
  const ways = [full, real].map((each) => each.split("/").filter(Boolean));
  if (ways.some(isProtected)) throw refuse("is protected: keys and settings with keys are never shown");
  return full;
}
