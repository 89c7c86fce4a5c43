import { expect, it } from "vitest";
import { PROMPTS, read, readText, refusal } from "./reading.ts";

it.each([
  ["agent: {{x}}\n", "1: not valid YAML: a map cannot be a key; put a value such as {{x}} in quotes"],
  [
    `${PROMPTS}run:\n  task: {{ x }}\n`,
    "5: not valid YAML: a map cannot be a key; put a value such as {{x}} in quotes",
  ],
  [`${PROMPTS}  step_limit: many\n`, "4: agent.step_limit: expected a whole number"],
  [`${PROMPTS}  step_limit: 1.5\n`, "4: agent.step_limit: expected a whole number"],
  [`${PROMPTS}  cost_limit: .nan\n`, "4: agent.cost_limit: expected a number"],
  [`${PROMPTS}  mode: fast\n`, "4: agent.mode: expected confirm, yolo or human"],
  [`${PROMPTS}  confirm_exit: maybe\n`, "4: agent.confirm_exit: expected true or false"],
  [`${PROMPTS}  whitelist_actions: ls\n`, "4: agent.whitelist_actions: expected a list of texts"],
  [`${PROMPTS}  whitelist_actions:\n    - ls\n    - "("\n`, "6: agent.whitelist_actions.1: "],
  [`${PROMPTS}environment:\n  env:\n    A: 1\n`, "6: environment.env.A: expected a text; put it in quotes"],
  [`${PROMPTS}env:\n  env:\n    A: off\n`, "6: environment.env.A: expected a text; put it in quotes"],
  [
    `${PROMPTS}environment:\n  env: { 'A B': x }\n`,
    "5: environment.env.A B: expected the name of a variable",
  ],
  [
    `${PROMPTS}environment:\n  timeout: 0\n`,
    "5: environment.timeout: expected a whole number of seconds above 0",
  ],
  [
    `${PROMPTS}environment:\n  image: --privileged\n`,
    "5: environment.image: expected a name such as python:3.11",
  ],
  [
    `${PROMPTS}environment:\n  forward_env: [A=1]\n`,
    "5: environment.forward_env.0: expected the name of a variable",
  ],
  [
    `${PROMPTS}model:\n  model_kwargs:\n    temperature: hot\n`,
    "6: model.model_kwargs.temperature: expected a number",
  ],
  [`${PROMPTS}model:\n  action_regex: "("\n`, "5: model.action_regex: "],
  [`${PROMPTS}agent: {}\n`, '4: the key "agent" is here a second time'],
  [
    "agent:\n  instance_template: x\n",
    "1: agent.system_template is missing; name the configuration that has it before",
  ],
  ["- a\n", "1: expected a map of agent, environment and model"],
  ["agent: [\n", "not valid YAML"],
  ["# nothing\n", "1: expected a map of agent, environment and model"],
])("a configuration is refused with its line: %j", async (text, reason) => {
  const said = await refusal(readText(text));
  expect(said.split("\n")).toHaveLength(1);
  expect(said).toContain(`it.yaml:${/^\d/.test(reason) ? reason : ""}`);
  expect(said).toContain(reason);
});

it("a template is refused with the line of the file, where it is written as a block", async () => {
  const block =
    "agent:\n  system_template: |\n    One.\n    {% if x %}\n    {{ y }\n  instance_template: x\n";
  expect(await refusal(readText(block))).toMatch(/^it\.yaml:5: agent\.system_template: /);
  const quoted = 'agent:\n  system_template: "One.\\n{{ y }"\n  instance_template: x\n';
  expect(await refusal(readText(quoted))).toMatch(/^it\.yaml:2: agent\.system_template: line 2: /);
  const former = `${PROMPTS}  timeout_template: "{{ x | nothing }}"\n`;
  expect(await refusal(readText(former))).toMatch(/^it\.yaml:4: agent\.timeout_template: .*`nothing`/);
});

it.each([
  [["mini.yaml"], '--config: there is no file "mini.yaml": name a file of yours'],
  [["swebench"], '--config: there is no file "swebench": name a file of yours'],
  [["/etc"], '--config: "/etc" is a folder: name a file of yours'],
  [["=5"], "--config: expected a key before =, such as agent.step_limit=5"],
  [["agent..x=5"], "--config: expected a key before ="],
  [["agent.step_limit=5"], "agent.system_template is missing"],
  [["it.yaml", "agent.mode=fast"], "--config agent.mode: expected confirm, yolo or human"],
])("%j is refused", async (specs, reason) => {
  expect(await refusal(read(specs, { files: { "it.yaml": PROMPTS } }))).toContain(reason);
});

it.each([
  ["agent.step_limit=x", "agent.step_limit: expected a whole number"],
  ["agent.instance_template=3", "agent.instance_template: expected a text; put it in quotes"],
  ["agent.instance_template={{ y }", "agent.instance_template: "],
  ["model.action_regex=(", "model.action_regex: "],
  ["environment.image=--privileged", "environment.image: expected a name such as python:3.11"],
])("what is wrong with %j is said of its key, which is named once", async (spec, reason) => {
  const said = await refusal(read(["it.yaml", spec], { files: { "it.yaml": PROMPTS } }));
  expect(said).toMatch(new RegExp(`^--config ${reason.replaceAll(".", "\\.")}`));
  expect(said).not.toMatch(/^--config (\S+): \1/);
});
