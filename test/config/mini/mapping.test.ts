// What becomes of environments and models of mini-SWE-agent.

import { describe, expect, it } from "vitest";
import { GRANTED, PROMPTS, readText, refusal } from "./reading.ts";

const inEnvironment = async (yaml: string) => {
  const files = { "src/x": "" };
  const { definition, remarks } = await readText(`${PROMPTS}environment: ${yaml}\n`, {
    trust: GRANTED,
    files,
  });
  return { choice: definition.environment, bash: definition.bash!, remarks };
};

describe("an environment", () => {
  it.each([
    ["{}", {}],
    ["{ environment_class: local }", { kind: "local" }],
    ["{ environment_class: bubblewrap, executable: bwrap }", { kind: "bubblewrap" }],
    ["{ environment_class: docker }", { kind: "docker", interpreter: ["bash", "-lc"] }],
    ["{ environment_class: docker, executable: podman }", { kind: "podman", interpreter: ["bash", "-lc"] }],
    ["{ image: 'python:3.11' }", { kind: "docker", image: "python:3.11", interpreter: ["bash", "-lc"] }],
    [
      "{ environment_class: docker, cwd: /testbed/, interpreter: [/bin/bash, -c] }",
      { kind: "docker", at: "/testbed", interpreter: ["bash", "-c"] },
    ],
    [
      "{ environment_class: docker, cwd: /, interpreter: [sh, -c] }",
      { kind: "docker", interpreter: ["sh", "-c"] },
    ],
    ["{ forward_env: [JAVA_HOME], env: { CI: '1' } }", { pass: ["JAVA_HOME"], set: { CI: "1" } }],
    [
      "{ environment_class: docker, interpreter: [sh, -c], run_args: [--rm, --network, none, --cap-drop=ALL, --cpus, '2'] }",
      { kind: "docker", network: "off", args: ["--cpus", "2"], interpreter: ["sh", "-c"] },
    ],
    [
      "{ environment_class: docker, interpreter: [sh, -c], run_args: ['--network=bridge', --rm] }",
      { kind: "docker", network: "on", interpreter: ["sh", "-c"] },
    ],
  ])("%s is ours, without a word", async (yaml, choice) => {
    const read = await inEnvironment(yaml);
    expect(read.choice).toEqual(choice);
    expect(read.remarks).toEqual([]);
  });

  it("has commands begin in a folder of the workspace", async () => {
    expect((await inEnvironment("{ cwd: ./src }")).bash.folder).toBe("src");
    expect((await inEnvironment("{ environment_class: docker, cwd: src }")).bash.folder).toBe("src");
    expect((await inEnvironment("{ cwd: '' }")).bash.folder).toBeUndefined();
    expect(await refusal(inEnvironment("{ cwd: lib }"))).toBe(
      'it.yaml:4: environment.cwd: there is no folder "lib" in the project',
    );
  });

  it.each([
    [
      "{ environment_class: singularity }",
      "environment_class: `singularity` is none of ours; the environment of",
    ],
    ["{ environment_class: my.pkg.Env }", "environment_class: `my.pkg.Env` is none of ours"],
    ["{ environment_class: swerex_docker }", "environment_class: commands run in docker by its command line"],
    ["{ environment_class: local, forward_env: [A] }", "forward_env: only a sandbox is passed variables"],
    [
      "{ environment_class: docker, executable: /opt/docker }",
      "executable: no path of a program is taken; docker is",
    ],
    [
      "{ environment_class: docker, executable: ./evil }",
      "executable: no path of a program is taken; docker is",
    ],
    ["{ run_args: [--privileged] }", "run_args: only docker and podman have that"],
    [
      "{ environment_class: docker, run_args: [--net=host] }",
      "run_args: the network `host` is the bridge here",
    ],
    ["{ interpreter: [python, -c] }", "interpreter: bash runs commands"],
    ["{ interpreter: [bash, '$(id)', -c] }", "interpreter: bash runs commands"],
    ["{ cwd: /testbed }", "cwd: it lies outside the workspace"],
    ["{ cwd: src/../../x }", "cwd: it lies outside the workspace"],
    ["{ container_timeout: 2h }", "container_timeout: each command has a container of its own"],
    ["{ pull_timeout: 120 }", "pull_timeout: nothing is fetched"],
    ["{ wrapper_args: [--share-net] }", "wrapper_args: our sandbox is made as docs/sandbox.md says"],
    [
      "{ env_startup_command: make }",
      "env_startup_command: not known here, and without effect; it stands under run",
    ],
    ["{ time_out: 5 }", "time_out: not known here, and without effect; did you mean timeout?"],
  ])("%s is named, with what holds instead", async (yaml, remark) => {
    const { remarks } = await inEnvironment(yaml);
    expect(remarks).toEqual([expect.stringContaining(`it.yaml:4: environment.${remark}`)]);
  });
});

const withModel = async (yaml: string) => {
  const { definition, remarks } = await readText(`${PROMPTS}model: ${yaml}\n`);
  const { model, sampling, unpriced } = definition;
  return { model, sampling, unpriced, remarks };
};

describe("a model", () => {
  it.each([
    ["{ model_name: anthropic/claude-sonnet-4-5 }", "anthropic/claude-sonnet-4-5"],
    [
      "{ model_name: claude-sonnet-4-5-20250929, model_class: anthropic }",
      "anthropic/claude-sonnet-4-5-20250929",
    ],
    ["{ model_name: gpt-5-mini, model_class: litellm_response }", "openai/gpt-5-mini"],
    ["{ model_name: o4-mini }", "openai/o4-mini"],
    ["{ model_name: offline }", "offline"],
    ["{}", undefined],
  ])("%s is ours, without a word", async (yaml, name) => {
    expect(await withModel(yaml)).toMatchObject({ model: name, remarks: [] });
  });

  it("is told temperature, topP and the length of its answers, and nothing else", async () => {
    const yaml =
      "{ model_kwargs: { temperature: 0., top_p: '0.5', max_tokens: 9, drop_params: true, parallel_tool_calls: true } }";
    const { sampling, remarks } = await withModel(yaml);
    expect(sampling).toEqual({ temperature: 0, topP: 0.5, maxOutput: 9 });
    expect(remarks).toEqual([]);
  });

  it("of unknown price is borne where the configuration says so", async () => {
    expect((await withModel("{ cost_tracking: ignore_errors }")).unpriced).toBe("borne");
    expect((await withModel("{ cost_tracking: default }")).unpriced).toBeUndefined();
  });

  it("that is one of several is the first of them that is served", async () => {
    const yaml =
      "{ model_name: roulette, model_kwargs: [{ model_name: bedrock/x }, { model_name: gpt-5, model_kwargs: { temperature: 1 } }] }";
    expect(await withModel(yaml)).toMatchObject({
      ...{ model: "openai/gpt-5", sampling: { temperature: 1 } },
      remarks: [
        "it.yaml:4: model.model_name: of several models only the first that is served answers: openai/gpt-5",
      ],
    });
  });

  it.each([
    [
      "{ model_name: vertex_ai/gemini }",
      "model_name: no provider of ours serves `vertex_ai/gemini`; the model of",
    ],
    ["{ model_name: minimax/minimax-m2 }", "model_name: no provider of ours serves `minimax/minimax-m2`"],
    ["{ model_class: my.pkg.Model }", "model_class: `my.pkg.Model` is none of ours; the model of this start"],
    [
      "{ model_name: gpt-5, model_class: portkey }",
      "model_class: `portkey` is none of ours; openai/gpt-5 is asked",
    ],
    ["{ model_kwargs: { drop_params: false } }", "model_kwargs.drop_params: not sent"],
    ["{ model_kwargs: { parallel_tool_calls: false } }", "model_kwargs.parallel_tool_calls: not sent"],
    [
      "{ model_kwargs: { api_base: 'http://x' } }",
      "model_kwargs.api_base: where requests go is said by --base-url",
    ],
    [
      "{ set_cache_control: default_end }",
      "set_cache_control: prompts are cached as far as the provider does",
    ],
    ["{ litellm_model_registry: x.json }", "litellm_model_registry: prices are said under `models:`"],
    ["{ multimodal_regex: x }", "multimodal_regex: observations are text"],
    ["{ provider: x }", "provider: not known here, and without effect"],
  ])("%s is named, with what holds instead", async (yaml, remark) => {
    expect((await withModel(yaml)).remarks).toEqual([expect.stringContaining(`it.yaml:4: model.${remark}`)]);
  });
});
