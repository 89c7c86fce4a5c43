// How an agent is spoken with: its templates, and what of its replies is a command.

import type { BashSettings, TaskTemplates } from "../../domain/task-templates.ts";
import { LegionError } from "../../base/errors.ts";
import type { Templates } from "../../base/template/templates.ts";
import type { SectionName } from "./sections.ts";
import { atPlace, type Configuration, type KeyPath } from "./sources.ts";

/** What templates and expressions are checked by. */
export type TemplateChecks = Pick<Templates, "check" | "checkExpression" | "begins">;

/** Templates and `action_regex` stood under `agent` in version 1, and stand under `model` in version 2. */
export type Version = 1 | 2;

export type Prompts = Pick<BashSettings, "templates" | "actionRegex" | "calls"> & {
  readonly version: Version;
};

/** Of version 2 where nobody says otherwise: the same members as mini-SWE-agent's own. */
const OBSERVATION =
  "{% if output.exception_info %}<exception>{{ output.exception_info }}</exception>\n{% endif %}" +
  "<returncode>{{ output.returncode }}</returncode>\n<output>\n{{ output.output }}</output>";
const FORMAT_ERROR = "{{ error }}";

/** Which fence a command stands in where no expression is said. */
const FENCES: Readonly<Record<Version, string>> = { 1: "bash", 2: "mswea_bash_command" };

type TextPath = readonly [section: SectionName, key: string];

/** Where each of them stands, that of version 2 first. */
const PLACES = {
  system: [["agent", "system_template"]],
  instance: [["agent", "instance_template"]],
  observation: [
    ["model", "observation_template"],
    ["agent", "action_observation_template"],
  ],
  formatError: [
    ["model", "format_error_template"],
    ["agent", "format_error_template"],
  ],
  timeout: [["agent", "timeout_template"]],
  startup: [["run", "env_startup_command"]],
  actionRegex: [
    ["model", "action_regex"],
    ["agent", "action_regex"],
  ],
} as const satisfies Record<string, readonly TextPath[]>;

/** Throws CONFIG for a template that is missing or wrong, with its line. */
export async function readPrompts(configuration: Configuration, checks: TemplateChecks): Promise<Prompts> {
  const { sections } = configuration;
  const version = versionOf(configuration);
  const templates: TaskTemplates = {
    system: needed(PLACES.system[0], configuration),
    instance: needed(PLACES.instance[0], configuration),
    observation: said(PLACES.observation, configuration) ?? OBSERVATION,
    formatError: said(PLACES.formatError, configuration) ?? FORMAT_ERROR,
    timeout: sections.agent.timeout_template,
  };
  const regex = said(PLACES.actionRegex, configuration);
  const calls = callsOf(version, { regex, templates, modelClass: sections.model.model_class });
  await checkAll(configuration, checks);
  return {
    version,
    templates,
    calls,
    actionRegex: regex ?? (calls === "text" ? `\`\`\`${FENCES[version]}\\s*\\n(.*?)\\n\`\`\`` : undefined),
  };
}

function versionOf(configuration: Configuration): Version {
  const isSaid = (path: TextPath): boolean => textAt(path, configuration) !== undefined;
  const { observation, formatError, actionRegex, timeout } = PLACES;
  const moved = [observation, formatError, actionRegex];
  if (moved.some(([newer]) => isSaid(newer))) return 2;
  return [...moved.map(([, former]) => former), timeout[0]].some(isSaid) ? 1 : 2;
}

interface Speaking {
  readonly regex: string | undefined;
  readonly templates: TaskTemplates;
  readonly modelClass: string | undefined;
}

/** Native calls, unless the configuration asks for commands in the text: by its version, its class, or in its own words. */
function callsOf(version: Version, { regex, templates, modelClass = "" }: Speaking): BashSettings["calls"] {
  if (version === 1 || regex !== undefined || /text_?based/i.test(modelClass)) return "text";
  const { system, instance, formatError } = templates;
  return [system, instance, formatError].some((one) => one.includes(`\`\`\`${FENCES[2]}`)) ? "text" : "auto";
}

function said(places: readonly TextPath[], configuration: Configuration): string | undefined {
  return places.map((path) => textAt(path, configuration)).find((text) => text !== undefined);
}

function needed(path: TextPath, configuration: Configuration): string {
  const text = textAt(path, configuration);
  if (text !== undefined) return text;
  const way = "name the configuration that has it before, or take --agent swe, which has prompts of its own";
  throw new LegionError(
    "CONFIG",
    atPlace(configuration.placeOf(path), `${path.join(".")} is missing; ${way}`),
  );
}

function textAt([section, key]: TextPath, { sections }: Configuration): string | undefined {
  const text = sections[section][key];
  return typeof text === "string" ? text : undefined;
}

async function checkAll(configuration: Configuration, checks: TemplateChecks): Promise<void> {
  for (const [name, places] of Object.entries(PLACES))
    for (const path of places) {
      const text = textAt(path, configuration);
      if (text === undefined) continue;
      const check = name === "actionRegex" ? checks.checkExpression(text) : checks.check(text);
      await check.catch((error: unknown) => {
        throw faultAt(path, error, configuration);
      });
    }
  for (const [index, text] of (configuration.sections.agent.whitelist_actions ?? []).entries())
    await checks.begins(text, "").catch((error: unknown) => {
      throw faultAt(["agent", "whitelist_actions", index], error, configuration);
    });
}

/** What is wrong with a template, or the expression, with its place. */
export function explainFault(what: keyof typeof PLACES, fault: string, configuration: Configuration): string {
  const places: readonly TextPath[] = PLACES[what];
  const path = places.find((one) => textAt(one, configuration) !== undefined) ?? places[0]!;
  return worded(path, fault, configuration);
}

/** The line of a template is one of its file where the template is written as a block. */
function worded(path: KeyPath, fault: string, { placeOf, placeWithin }: Configuration): string {
  const [, line = "0", reason = ""] = /^line (\d+): (.*)$/s.exec(fault) ?? [];
  const within = placeWithin(path, Number(line));
  const what = within === placeOf(path) ? fault : reason;
  return atPlace(within, `${path.map(String).join(".")}: ${what}`);
}

function faultAt(path: KeyPath, error: unknown, configuration: Configuration): unknown {
  if (!(error instanceof LegionError)) return error;
  return new LegionError("CONFIG", worded(path, error.message, configuration), { cause: error });
}
