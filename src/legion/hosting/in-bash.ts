// How an agent differs from others that acts in bash alone: its history is its log, word for word.

import { isLegionError } from "../../base/errors.ts";
import { fieldsOf } from "../../base/text/json.ts";
import { onceEach } from "../../base/once-each.ts";
import { explaining, openTemplates, type Templates } from "../../base/template/templates.ts";
import type { Definition, Member, Places } from "../../config/definition.ts";
import { loadModules, type ModulePlaces } from "../../config/module-loader.ts";
import { indexActions } from "../../agent/parts/module-set.ts";
import type { Way } from "../../agent/parts/speech.ts";
import { createWording, explainPlainly, type TemplateEngine } from "../../agent/parts/wording.ts";
import type { Module } from "../../domain/authoring/module.ts";
import type { Model } from "../../domain/model.ts";
import type { AskedAction } from "../../domain/policy/same-call.ts";
import type { BashSettings, TaskTemplates } from "../../domain/task-templates.ts";
import { BASH, bashByCalls, bashByText, FENCE } from "../../model/protocol/bash.ts";
import type { Protocol } from "../../model/protocol/protocol.ts";
import type { AgentPlan } from "./agent-plan.ts";

/** One for all who are hosted, whenever they come. */
const ENGINE = openTemplates();

/**
 * Templates are rendered in one place for all of them, which is there once something is. What it returns gives `undefined` for
 * others, and rejects with CONFIG, with the place, where a template or the expression of a definition is wrong.
 *
 * @param open what it gives is closed: nothing runs yet
 */
export function createInBash(places: ModulePlaces & Pick<Places, "others">, open = openTemplates) {
  const modules = onceEach(() => loadModules([BASH], places));
  const checked = new Set<BashSettings>();
  const planned = async (settings: BashSettings, agent: string, model: Model) => {
    // What others bring was looked at as it was read.
    if (!checked.has(settings) && !places.others?.has(agent)) await checkSettings(settings, open());
    checked.add(settings);
    return inBash(settings, { modules: await modules(""), model, engine: ENGINE });
  };
  return ({ bash }: Pick<Definition, "bash">, { agent }: Pick<Member, "agent">, model: Model) =>
    bash && planned(bash, agent, model);
}

/** Closes `engine`. */
async function checkSettings(
  { templates, actionRegex, explain = explainPlainly }: BashSettings,
  engine: Templates,
): Promise<void> {
  try {
    for (const name of Object.keys(templates) as (keyof TaskTemplates)[])
      await explaining(engine.check(templates[name] ?? ""), (fault) => explain(name, fault));
    const ofExpression = (fault: string): string => explain("actionRegex", fault);
    if (actionRegex !== undefined) await explaining(engine.checkExpression(actionRegex), ofExpression);
  } finally {
    await engine.close();
  }
}

/** @param modules the one that all of them have */
export function inBash(
  settings: BashSettings,
  {
    modules,
    model,
    engine,
  }: { readonly modules: readonly Module[]; readonly model: Model; readonly engine: TemplateEngine },
) {
  const { actionRegex = FENCE, calls, timeoutMs, folder, formatErrors, whitelist, templates } = settings;
  const { explain = explainPlainly } = settings;
  const wayBy = (protocol: Protocol): Way => ({
    protocol,
    actions: indexActions(modules, protocol),
    errors: "keep",
  });
  const byText = wayBy(
    bashByText(actionRegex, (expression, text) =>
      explaining(engine.match(expression, text), (fault) => explain("actionRegex", fault)),
    ),
  );
  const ways =
    calls === "auto" && model.profile.tools ? { ...wayBy(bashByCalls), withoutTools: byText } : byText;
  return {
    ...ways,
    settings: { [BASH]: { timeoutMs, folder } },
    memory: { strategy: "none", threshold: Infinity, pin: "newest" },
    wording: createWording(settings, engine),
    startup: templates.startup === undefined ? undefined : { timeoutMs, folder },
    isListed: whitelist && ((call) => beginsLikeOneOf(whitelist, call, engine)),
    // A test that fails again while its bug is being looked for is no loop.
    patience: { unparsed: formatErrors, repeats: "borne" },
  } as const satisfies Partial<AgentPlan>;
}

/** Whoever tries one without a key would see nothing but replies that hold no command. */
export function helpless(roles: readonly { readonly plan: AgentPlan }[]): readonly string[] {
  const isHelpless = roles.some(({ plan: { wording, model } }) => wording && model.provider === "offline");
  return isHelpless ? [HELPLESS] : [];
}

const HELPLESS =
  "`offline` understands plain commands, and cannot act in bash: --model names a model that can, --agent assistant needs none.";

/** What cannot be told within the time that an expression has is asked. */
async function beginsLikeOneOf(
  expressions: readonly string[],
  { parameters }: AskedAction,
  engine: Pick<TemplateEngine, "begins">,
): Promise<boolean> {
  const { command } = fieldsOf(parameters);
  if (typeof command !== "string") return false;
  const found = await Promise.all(
    expressions.map((one) => engine.begins(one, command).catch((error: unknown) => refusedIn(error))),
  );
  return found.includes(true);
}

function refusedIn(error: unknown): false {
  if (isLegionError(error, "CONFIG")) return false;
  throw error;
}
