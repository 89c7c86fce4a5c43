// Who spoke of what an agent may do, and of where its commands run.

import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { Config } from "../../config/config.ts";
import type { Definition, Member } from "../../config/definition.ts";
import { mergeEnvironments, type EnvironmentChoice } from "../../environment/settings.ts";
import type { Module } from "../../domain/authoring/module.ts";
import type { PolicyLayer } from "../../domain/policy/policy.ts";
import { parseRule } from "../../domain/policy/rule.ts";
import { fitsText, readWildcard } from "../../domain/policy/wildcard.ts";

/** The rules by which actions are forbidden whatever they would touch. */
export function deniedActions(layers: readonly PolicyLayer[]): readonly string[] {
  return layers.flatMap(({ deny = [] }) => deny).filter((rule) => /^\s*action\s/.test(rule));
}

/** What is forbidden outright need not be known: modules without the actions that fit a rule of `denied`. */
export function withoutActions(modules: readonly Module[], denied: readonly string[]): readonly Module[] {
  if (denied.length === 0) return modules;
  const rules = denied.map((rule) => parseRule(rule, { workspace: "/", home: "/" }));
  return keepActions(
    modules,
    (names) => !rules.some((rule) => names.some((name) => rule.fits({ kind: "action", name }, "deny"))),
  );
}

/**
 * Modules with no other actions than those that `wanted` names, by any of their names. Throws CONFIG, with the nearest
 * name, for one that none of them has. What modules find outside has names of the form `server__tool`, or `server__*` for all of a
 * server: nobody knows yet whether there is one.
 */
export function onlyActions(modules: readonly Module[], wanted: readonly string[]): readonly Module[] {
  const known = modules.flatMap(({ actions }) =>
    Object.entries(actions).flatMap(([name, { aliases }]) => [name, ...aliases]),
  );
  const patterns = wanted.filter((name) => name.includes("__")).map(readWildcard);
  const stranger = wanted.find((name) => !known.includes(name) && !name.includes("__"));
  if (stranger === undefined)
    return keepActions(modules, (names) =>
      names.some((name) => wanted.includes(name) || patterns.some((pattern) => fitsText(pattern, name))),
    );
  const [meant] = nearest(stranger, known);
  const advice = meant ? `did you mean "${meant}"?` : `they have ${known.slice(0, 20).join(", ") || "none"}`;
  const place = modules.map(({ name }) => name).join(", ");
  throw new LegionError(
    "CONFIG",
    `actions: there is no ${JSON.stringify(stranger)} in the modules ${place}; ${advice}`,
  );
}

function keepActions(
  modules: readonly Module[],
  isKept: (names: readonly string[]) => boolean,
): readonly Module[] {
  const keep = (actions: Module["actions"]): Module["actions"] =>
    Object.fromEntries(Object.entries(actions).filter(([name, { aliases }]) => isKept([name, ...aliases])));
  return modules.map((module) => {
    const { actions, offers } = module;
    const found = offers?.actions;
    const kept = { ...module, actions: keep(actions) };
    return found ? { ...kept, offers: { ...offers, actions: (offer) => keep(found(offer)) } } : kept;
  });
}

/** Who says what a program says that runs a legion: the person whose program it is. */
export const PROGRAM = "the program";

/** What was typed, or is said by a program, weighs most. */
export function layersOf(member: Member, definition: Definition, config: Config): readonly PolicyLayer[] {
  const isTyped = ({ by }: PolicyLayer): boolean => by.startsWith("--") || by === PROGRAM;
  const { policies } = config;
  return [
    ...policies.filter((layer) => !isTyped(layer)),
    ...definition.policy,
    ...(member.policy ?? []),
    ...policies.filter(isTyped),
  ];
}

/** Of where its commands run: what was typed outranks the team, that the definition, and that config.yaml. */
export function environmentChoiceOf(
  { environment }: Member,
  definition: Definition,
  config: Config,
): EnvironmentChoice {
  return environmentIn(config, definition.environment, environment);
}

/** The same for all that says `own` of itself, the last the most. */
export function environmentIn(
  { commandEnvironment, flags }: Pick<Config, "commandEnvironment" | "flags">,
  ...own: readonly (EnvironmentChoice | undefined)[]
): EnvironmentChoice {
  const said = mergeEnvironments(commandEnvironment, ...own);
  const { environment: typed } = flags;
  // Of what files say of a sandbox nothing counts where the person wants none.
  const isOutside = typed?.kind === "local" && said.kind === undefined;
  return mergeEnvironments(isOutside ? outsideOf(said) : said, typed);
}

function outsideOf({ set, interpreter }: EnvironmentChoice): EnvironmentChoice {
  return { ...(set && { set }), ...(interpreter && { interpreter }) };
}
