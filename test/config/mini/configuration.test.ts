import { describe, expect, it } from "vitest";
import { fixture, GRANTED, PROMPTS, read, readText } from "./reading.ts";

const TWO = `${PROMPTS}  step_limit: 5\nenvironment:\n  env: { A: a, B: b }\n`;

describe("what --config names", () => {
  it("is read one after the other, and the later one weighs more, key by key", async () => {
    const files = { "a.yaml": TWO, "b.yml": "environment: { env: { B: c } }\nagent: { step_limit: 6 }\n" };
    const { definition } = await read(["a.yaml", "b.yml", "agent.cost_limit=1.5"], { files, trust: GRANTED });
    expect(definition.environment.set).toEqual({ A: "a", B: "c" });
    expect(definition.limits).toEqual({ steps: 6, cost: 1.5 });
    expect(definition.bash!.templates.system).toBe("You mend.");
    expect(definition.name).toBe("a");
  });

  it.each([
    ["agent.step_limit=7", { steps: 7, cost: 3 }],
    ['agent.step_limit="7"', { steps: 7, cost: 3 }],
    ["agent.cost_limit=0", {}],
    ["agent.cost_limit=0.", {}],
    ["agent.cost_limit=.5", { cost: 0.5 }],
    ["agent.wall_time_limit_seconds=90", { cost: 3, timeMs: 90_000 }],
    ['agent={"step_limit": 3, "cost_limit": null}', { steps: 3, cost: 3 }],
  ])("may be a value: %s", async (spec, limits) => {
    const { definition } = await read(["a.yaml", spec], { files: { "a.yaml": PROMPTS } });
    expect(definition.limits).toEqual(limits);
  });

  it("takes back with nothing what was said before", async () => {
    const files = { "a.yaml": `${TWO}  timeout: 5\n`, "b.yaml": "environment:\n  timeout:\n" };
    expect((await read(["a.yaml"], { files })).definition.bash!.timeoutMs).toBe(5_000);
    expect((await read(["a.yaml", "b.yaml"], { files })).definition.bash!.timeoutMs).toBe(30_000);
    const typed = ["a.yaml", "environment.timeout=null"];
    expect((await read(typed, { files })).definition.bash!.timeoutMs).toBe(30_000);
  });

  it("lies in the current folder, else in the project, with or without .yaml, or anywhere", async () => {
    const files = { "here/a.yaml": PROMPTS, "a.yaml": "agent: {}\n", "b.yaml": PROMPTS };
    const project = await read([fixture("v2-mini")], { files });
    expect(project.definition.name).toBe("keys-v2-mini");
    expect(project.definition.guides).toEqual([]);
    for (const name of ["b.yaml", "b"]) {
      const { definition } = await read([name], { files });
      expect([definition.name, definition.guides]).toEqual(["b", ["b.yaml"]]);
    }
  });

  it("may call the environment `env`, as version 1 did", async () => {
    const { definition } = await readText(`${PROMPTS}env:\n  timeout: 5\n  env: { PAGER: cat }\n`);
    expect(definition.environment.set).toEqual({ PAGER: "cat" });
    expect(definition.bash!.timeoutMs).toBe(5_000);
    const both = await readText(`${PROMPTS}env: { timeout: 5 }\nenvironment: { timeout: 6 }\n`);
    expect(both.definition.bash!.timeoutMs).toBe(6_000);
  });
});

describe("what nobody says", () => {
  it("is what mini-SWE-agent has, but in our environment", async () => {
    const { definition, run, remarks } = await readText(PROMPTS);
    expect(definition).toEqual({
      ...{ name: "it", description: "", brief: "", protocol: "bash", modules: ["bash"], memory: {} },
      ...{ model: undefined, sampling: undefined, unpriced: undefined },
      ...{ grants: [], policy: [], limits: { cost: 3 }, environment: {}, guides: ["it.yaml"] },
      ...{ sections: expect.any(Object) as unknown, sources: expect.any(Array) as unknown },
      bash: {
        templates: {
          ...{ system: "You mend.", instance: "{{ task }}", formatError: "{{ error }}", timeout: undefined },
          observation: expect.stringContaining("<returncode>{{ output.returncode }}</returncode>"),
        },
        ...{ actionRegex: undefined, calls: "auto", formatErrors: 3, timeoutMs: 30_000, folder: undefined },
        explain: expect.any(Function) as unknown,
        variables: expect.objectContaining({ step_limit: 0, timeout: 30 }) as unknown,
      },
    });
    expect(run).toEqual({ confirmExit: true });
    expect(remarks).toEqual([]);
  });
});

describe("the version", () => {
  const FORMER = "  action_observation_template: o\n  format_error_template: f\n  timeout_template: t\n";
  const NEWER = "model: { observation_template: O, format_error_template: F }\n";

  it("is told by where templates stand", async () => {
    const one = (await readText(PROMPTS + FORMER)).definition.bash!;
    expect(one.templates).toMatchObject({ observation: "o", formatError: "f", timeout: "t" });
    expect([one.calls, one.actionRegex]).toEqual(["text", "```bash\\s*\\n(.*?)\\n```"]);
    const two = (await readText(PROMPTS + NEWER)).definition.bash!;
    expect(two.templates).toMatchObject({ observation: "O", formatError: "F" });
    expect([two.calls, two.actionRegex]).toEqual(["auto", undefined]);
  });

  it("may be both: what stands under `model` holds, and that is said", async () => {
    const { definition, remarks } = await readText(PROMPTS + FORMER + NEWER);
    expect(definition.bash!.templates).toMatchObject({ observation: "O", formatError: "F", timeout: "t" });
    expect(remarks).toEqual([
      "it.yaml:4: agent.action_observation_template: model.observation_template holds",
      "it.yaml:5: agent.format_error_template: model.format_error_template holds",
    ]);
  });

  it.each([
    ["v2-mini", "auto", undefined],
    ["v2-swebench", "auto", undefined],
    ["v2-programbench", "auto", undefined],
    ["v2-default", "text", "```mswea_bash_command\\s*\\n(.*?)\\n```"],
    ["v2-mini-textbased", "text", "```mswea_bash_command\\s*\\n(.*?)\\n```"],
    ["v2-swebench-backticks", "text", "```mswea_bash_command\\s*\\n(.*?)\\n```"],
    ["v2-swebench-xml", "text", "<mswea_bash_command>(.*?)</mswea_bash_command>"],
    ["v2-more", "text", "```mswea_bash_command\\s*\\n(.*?)\\n```"],
    ["v1-mini", "text", "```bash\\s*\\n(.*?)\\n```"],
    ["v1-swebench-xml", "text", "<bash_code>(.*?)</bash_code>"],
  ])("has %s act by its own words: %s", async (name, calls, regex) => {
    const { bash } = (await read([fixture(name)])).definition;
    expect([bash!.calls, bash!.actionRegex]).toEqual([calls, regex]);
  });
});

describe("what a run of it shall do", () => {
  it("is its task, its mode and its output", async () => {
    const text = `${PROMPTS}  mode: human\n  whitelist_actions: [ls]\n  confirm_exit: off\n  output_path: a.traj.json\nrun:\n  task: Mend.\n  env_startup_command: make\n`;
    const { run, definition } = await readText(text, { trust: GRANTED });
    expect(definition.bash).toMatchObject({ whitelist: ["ls"], templates: { startup: "make" } });
    expect(run).toEqual({
      ...{ task: "Mend.", mode: "human", confirmExit: false },
      outputPath: expect.stringMatching(/^\/.*\/a\.traj\.json$/) as unknown,
    });
  });

  it("has format errors that end it, or none that do", async () => {
    const of = async (said: string) =>
      (await readText(`${PROMPTS}  max_consecutive_format_errors: ${said}\n`)).definition;
    expect((await of("5")).bash!.formatErrors).toBe(5);
    expect((await of("0")).bash!.formatErrors).toBe(0);
    expect((await of("-1")).bash!.formatErrors).toBe(0);
  });
});

describe("YAML", () => {
  it("is read as PyYAML reads it", async () => {
    const env = "{ A: 'on', B: y, C: N, D: 1e3, E: =, F: 1:2:x, G: 2024-01-01, H: 0o17 }";
    const { definition } = await readText(`${PROMPTS}environment: { env: ${env} }\n`, { trust: GRANTED });
    expect(definition.environment.set).toEqual({
      ...{ A: "on", B: "y", C: "N", D: "1e3", E: "=", F: "1:2:x", G: "2024-01-01", H: "0o17" },
    });
    const limits = async (said: string) => (await readText(`${PROMPTS}  ${said}\n`)).definition.limits;
    expect(await limits("step_limit: 010")).toEqual({ steps: 8, cost: 3 });
    expect(await limits("step_limit: 1_0")).toEqual({ steps: 10, cost: 3 });
    expect(await limits("wall_time_limit_seconds: 1:30")).toEqual({ cost: 3, timeMs: 90_000 });
    expect(await limits("cost_limit: .inf")).toEqual({});
  });

  it("has anchors, and maps that are merged into others", async () => {
    const text = `base: &base { PAGER: cat }\n${PROMPTS}environment:\n  env:\n    <<: *base\n    CI: '1'\n`;
    const { definition, remarks } = await readText(text);
    expect(definition.environment.set).toEqual({ PAGER: "cat", CI: "1" });
    expect(remarks).toEqual(["it.yaml:1: base: not known here, and without effect"]);
  });
});

describe("what templates may name of it", () => {
  it("is what holds: what is granted, and what was typed in its place", async () => {
    const text = `${PROMPTS}  mode: yolo\n  whitelist_actions: [ls]\n  step_limit: 1000\n  output_path: /x/a.json\nenvironment: { environment_class: docker, image: a, cwd: /testbed, forward_env: [JAVA_HOME], run_args: [--privileged], env: { CI: '1' } }\n`;
    const shown = async (places: Parameters<typeof readText>[1]) =>
      (await readText(text, places)).definition.bash!.variables;
    const open = { whitelist_actions: [], step_limit: 0, output_path: null, CI: "1", cwd: "/testbed" };
    expect(await shown({})).toMatchObject({
      ...open,
      mode: "confirm",
      forward_env: [],
      run_args: [],
      image: null,
    });
    expect(await shown({ isSandboxed: () => true })).toMatchObject({ mode: "yolo" });
    const granted = { mode: "yolo", whitelist_actions: ["ls"], step_limit: 1_000, output_path: "/x/a.json" };
    const all = { forward_env: ["JAVA_HOME"], run_args: ["--privileged"], image: "a" };
    expect(await shown({ trust: GRANTED })).toMatchObject({ ...granted, ...all });
    const typed = { mode: "human", outputPath: "/y.json" } as const;
    expect(await shown({ typed, trust: GRANTED })).toMatchObject({ mode: "human", output_path: "/y.json" });
  });

  it("are its sections as one, with what holds where nobody says, and Python's floats", async () => {
    const text = `${PROMPTS}  cost_limit: 3.\nenvironment: { timeout: 60, env: { PAGER: cat } }\nmodel:\n  model_name: claude-x\n  model_kwargs: { temperature: 0., top_p: 0.5, max_tokens: 9, drop_params: true }\n`;
    const { definition } = await readText(text);
    const { variables } = definition.bash!;
    expect(variables).toMatchObject({
      ...{ step_limit: 0, wall_time_limit_seconds: 0, max_consecutive_format_errors: 3, timeout: 60 },
      ...{ mode: "confirm", output_path: null, whitelist_actions: [], env: { PAGER: "cat" } },
      ...{ model_name: "claude-x", cost_tracking: "default", system_template: "You mend." },
    });
    const { cost_limit: cost, model_kwargs: kwargs } = variables as Record<string, Record<string, unknown>>;
    // As `float` of the templates makes them.
    expect([cost, kwargs!["temperature"]].map((value) => value instanceof Number)).toEqual([true, true]);
    expect(JSON.stringify(kwargs)).toBe('{"temperature":0,"top_p":0.5,"max_tokens":9,"drop_params":true}');
    expect(Object.keys(definition.sections!)).toEqual(["agent", "environment", "model"]);
    expect(JSON.parse(JSON.stringify(definition.sections!.agent))).toMatchObject({
      cost_limit: 3,
      step_limit: 0,
    });
  });
});

describe("a key that every object has", () => {
  const NAMES = ["toString", "constructor", "hasOwnProperty", "valueOf"];

  it.each(NAMES)("%s is as unknown as any other, wherever it stands", async (name) => {
    const sections =
      "environment:\n  KEY: {a: s3cret}\nmodel:\n  KEY: s3cret\n  model_kwargs:\n    KEY: s3cret\n";
    const yaml = `${PROMPTS}  KEY: s3cret\n${sections}KEY: {a: s3cret}\nother: [s3cret]\n`;
    const { definition, remarks } = await readText(yaml.replaceAll("KEY", name), { trust: GRANTED });
    expect(remarks.filter((remark) => remark.includes(`${name}: not known here`))).toHaveLength(4);
    expect(JSON.stringify([definition.sources, definition.sections])).not.toContain("s3cret");
  });

  it.each(NAMES)("%s may be typed", async (name) => {
    const { remarks } = await read(["a.yaml", `${name}.a=1`, `agent.${name}=1`], {
      files: { "a.yaml": PROMPTS },
    });
    expect(remarks).toHaveLength(2);
  });
});
