// An agent that a configuration of mini-SWE-agent makes, as a start plans it.

import { expect, it, onTestFinished } from "vitest";
import { openTemplates } from "../../../src/base/template/templates.ts";
import type { KnownPlace } from "../../../src/config/definition.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { readMiniConfiguration } from "../../../src/config/mini/configuration.ts";
import { broughtBy, planRoster } from "../../../src/legion/roster.ts";
import { startTemplateWorker } from "../../base/template/start-worker.ts";
import { ownHome } from "../../own-config-home.ts";
import { createTempProject } from "../../temp-project.ts";

const PROMPTS = "agent:\n  system_template: You mend.\n  instance_template: '{{ task }}'\n";
const REFERENCE = "--config it.yaml";
const UNPRICED = "openai/in-house";

async function planned(yaml: string, model: string) {
  const projectDir = await createTempProject({ "it.yaml": PROMPTS + yaml });
  const templates = openTemplates({ start: startTemplateWorker });
  onTestFinished(() => templates.close());
  const places = { cwd: projectDir, projectDir, templates };
  const read = async ({ trust }: KnownPlace) =>
    (await readMiniConfiguration(["it.yaml"], { ...places, trust })).definition;
  const others = new Map([[REFERENCE, read]]);
  const env = { ...ownHome(), OPENAI_API_KEY: "key-for-openai" };
  const config = await loadConfig({ projectDir, env, flags: { agent: REFERENCE, model } });
  const deps = { config, places: { projectDir, packageDir: projectDir, others } };
  const who = { kind: "count", count: 1 } as const;
  return {
    brought: await broughtBy(who, deps),
    plan: async () => (await planRoster(who, deps)).roles[0]!.plan,
    deps,
    who,
  };
}

it("is found by its reference, acts in bash, and has our limits where its own are lifted", async () => {
  const { plan } = await planned("  cost_limit: 0.\n  step_limit: 0\n", "openai/gpt-5");
  const { limits, origin, actions, model } = await plan();
  expect(limits).toEqual({ steps: 500 });
  expect(origin).toMatchObject({ definition: REFERENCE, configuration: { agent: { step_limit: 500 } } });
  expect(actions.modules.map(({ name }) => name)).toEqual(["bash"]);
  expect(model.name).toBe("openai/gpt-5");
});

it("wants what its file would widen, as every definition does", async () => {
  const { brought, plan } = await planned("  step_limit: 1000\n", "openai/gpt-5");
  expect(brought.grants.map(({ what }) => what)).toEqual(["it.yaml limits.steps"]);
  expect((await plan()).limits).toEqual({ steps: 500, cost: 3 });
});

it("is refused with a model of unknown price, unless it bears that", async () => {
  await expect((await planned("", UNPRICED)).plan()).rejects.toThrow(
    `needs the price of ${UNPRICED}, which is unknown`,
  );
  const borne = await planned("model: { cost_tracking: ignore_errors }\n", UNPRICED);
  expect((await borne.plan()).limits).toEqual({ steps: 500 });
  const { remarks } = await planRoster(borne.who, borne.deps);
  expect(remarks).toEqual([expect.stringContaining(`The price of ${UNPRICED} is unknown`)]);
});

it("has answers as long as it says", async () => {
  const { plan } = await planned("model: { model_kwargs: { max_tokens: 77 } }\n", "openai/gpt-5");
  expect((await plan()).model.profile.maxOutput).toBe(77);
});

it("is kept from changing the file that makes it", async () => {
  const { deps, who } = await planned("", "openai/gpt-5");
  expect((await planRoster(who, deps)).protectedPaths).toContain("it.yaml");
});
