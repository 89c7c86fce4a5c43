import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { Config, ConfigSources } from "../../src/config/config.ts";
import { isLegionError, messageOf } from "../../src/base/errors.ts";
import { createTempProject } from "../temp-project.ts";
import { ownHome } from "../own-config-home.ts";
import { loadTrusted } from "../trusting.ts";
import { loadConfig } from "../../src/config/load-config.ts";

interface Given extends Partial<ConfigSources> {
  readonly yaml?: string;
  readonly dotEnv?: string;
}

async function load({ yaml, dotEnv, env = {}, flags = {} }: Given = {}): Promise<Config> {
  const projectDir = await createTempProject({
    ...(yaml !== undefined && { ".ai-legion/config.yaml": yaml }),
    ...(dotEnv !== undefined && { ".env": dotEnv }),
  });
  return loadTrusted({ projectDir, env: { ...ownHome(), ...env }, flags });
}

async function refusal(given: Given): Promise<string> {
  const error: unknown = await load(given).catch((thrown: unknown) => thrown);
  expect(isLegionError(error, "CONFIG") || isLegionError(error, "USAGE"), messageOf(error)).toBe(true);
  return messageOf(error);
}

const EVERYTHING = `environment: { kind: bubblewrap, network: off }
model: openai/llama3
agent: scout
bus: memory
name: scouts
tick: 250ms
heartbeat: 60s
delay: 2s
limits: { steps: 50, cost: 2.5, time: 8h, agent: { cost: 1 }, legion: { steps: 1000 } }
policy: { deny: [run  git push] }
memory: { strategy: rounds, threshold: 80000, pin: top, forgetErrors: off }
durability: process
models: { openai/llama3: { window: 8192, maxOutput: 1024, price: { input: 0, output: 0 }, tools: off } }
providers:
  openai: { baseUrl: "http://localhost:11434/v1", stream: off, concurrency: 1, first: 10m, stall: 90s }
  anthropic: { apiVersion: 2023-06-01 }
web: { search: { provider: searxng, url: "http://localhost:8080" }, allowPrivate: [localhost, 10.0.0.0/8], browser: off }
mcp: { trusted: [weather], outside: [rain], network: { snow: [example.com], hail: on } }`;

describe("loadConfig", () => {
  it("knows what holds when nobody said anything", async () => {
    const { environment, secrets, trust: _, skills: __, home: ___, ...config } = await load();
    expect(config).toEqual({
      agent: "legionnaire",
      approvals: {},
      bus: { kind: "memory" },
      name: "legion",
      tickMs: 1_000,
      heartbeatMs: "off",
      delayMs: 0,
      limits: { agent: {}, legion: {} },
      ...{ purse: {}, policies: [], grants: [] },
      memory: { strategy: "legion", threshold: 0.75, pin: "newest" },
      durability: "disk",
      commandEnvironment: {},
      models: {},
      providers: {},
      modules: { web: { allowPrivate: [] }, mcp: expect.objectContaining({ trusted: [] }) },
      flags: {},
    });
    expect([environment(), secrets()]).toEqual([{}, []]);
  });

  it("reads every key of config.yaml", async () => {
    const { environment: _, secrets: __, trust: ___, ...rest } = await load({ yaml: EVERYTHING });
    const { grants: ____, skills: _____, home: ______, ...config } = rest;
    expect(config).toEqual({
      model: "openai/llama3",
      agent: "scout",
      approvals: {},
      bus: { kind: "memory" },
      name: "scouts",
      tickMs: 250,
      heartbeatMs: 60_000,
      commandEnvironment: { kind: "bubblewrap", network: "off" },
      delayMs: 2_000,
      limits: { agent: { steps: 50, cost: 1 }, legion: { steps: 1_000, cost: 2.5, timeMs: 28_800_000 } },
      purse: {},
      policies: [{ by: ".ai-legion/config.yaml", as: "anybody", deny: ["run git push"] }],
      memory: { strategy: "rounds", threshold: 80_000, pin: "top", forgetErrors: false },
      durability: "process",
      models: {
        "openai/llama3": { window: 8_192, maxOutput: 1_024, price: { input: 0, output: 0 }, tools: false },
      },
      providers: {
        openai: {
          baseUrl: "http://localhost:11434/v1",
          stream: "off",
          concurrency: 1,
          firstMs: 600_000,
          stallMs: 90_000,
        },
        anthropic: { apiVersion: "2023-06-01" },
      },
      modules: {
        mcp: {
          trusted: ["weather"],
          confinement: { outside: ["rain"], network: { snow: ["example.com"], hail: "on" } },
          servers: expect.any(Function),
          hasSandbox: expect.any(Function),
        },
        web: {
          allowPrivate: ["localhost", "10.0.0.0/8"],
          browser: "off",
          search: {
            provider: "searxng",
            baseUrl: "http://localhost:8080",
            why: "SearXNG at http://localhost:8080: web.search.url is set in .ai-legion/config.yaml",
          },
        },
      },
      flags: {},
    });
  });

  it("lets the environment overrule the file, and flags the environment", async () => {
    const yaml = "model: offline\nagent: a\ntick: 1s\ndelay: 1s\nlimits: { steps: 10, cost: 1, tokens: 5 }\n";
    const env = {
      LEGION_MODEL: "openai/x",
      LEGION_TICK: "2s",
      AGENT_DELAY: "300",
      LEGION_LIMITS: "steps=20,cost=2",
    };
    const flags = { model: "anthropic/y", limits: "steps=30", commands: "allow" };
    const config = await load({ yaml, env, flags });
    expect(config).toMatchObject({ model: "anthropic/y", agent: "a", tickMs: 2_000, delayMs: 300 });
    expect(config.limits).toEqual({ agent: { steps: 30 }, legion: { cost: 2, tokens: 5 } });
    expect(config.policies.at(-1)).toEqual({ by: "--yes", as: "person", allow: ["run *"] });
  });

  it("tells what the command line said apart from what stood there before", async () => {
    const { flags } = await load({ yaml: "model: offline\ntick: 5s", flags: { tick: "0", limits: "none" } });
    const all = { steps: "none", turns: "none", tokens: "none", cost: "none", timeMs: "none" };
    expect(flags).toEqual({ tickMs: 0, limits: { agent: all, legion: all } });
  });

  it("takes from .env what the environment does not set", async () => {
    const dotEnv =
      'ANTHROPIC_API_KEY="from-file"\nOPENAI_API_KEY=from-file # mine\nLEGION_TICK=7s\nOTHER=1\n';
    const config = await load({ dotEnv, env: { OPENAI_API_KEY: "from-shell", OTHER_KEY: "x" } });
    expect(config.environment()).toEqual({ ANTHROPIC_API_KEY: "from-file", OPENAI_API_KEY: "from-shell" });
    expect(config.tickMs).toBe(7_000);
  });

  it("counts what is set to nothing as not set, and does not look for it in .env", async () => {
    const env = { ANTHROPIC_API_KEY: "", LEGION_MODEL: " ", AGENT_DELAY: undefined };
    const config = await load({ dotEnv: "ANTHROPIC_API_KEY=old", yaml: "model: offline", env });
    expect(config.environment()).toEqual({});
    expect(config.model).toBe("offline");
  });

  it("passes over a folder named .env", async () => {
    const projectDir = await createTempProject({ ".env/bin/python": "" });
    expect((await loadConfig({ projectDir, env: ownHome(), flags: {} })).agent).toBe("legionnaire");
  });

  it("shows no key in anything that is printed, logged or copied", async () => {
    const config = await load({
      env: {
        ANTHROPIC_API_KEY: "sk-secret",
        OPENAI_BASE_URL: "http://u:pw@h/v1",
        GOOGLE_API_KEY: "g-secret",
        GOOGLE_SEARCH_ENGINE_ID: "cx",
        BRAVE_API_KEY: "b-secret",
        TAVILY_API_KEY: "t-secret",
      },
    });
    const shown = [inspect(config, { depth: null, showHidden: true }), JSON.stringify({ ...config })];
    for (const text of shown) expect(text).not.toMatch(/-secret|pw@h/);
    expect(config.modules.web.search).toMatchObject({ provider: "google" });
    expect(config.environment().ANTHROPIC_API_KEY).toBe("sk-secret");
  });

  it("is frozen in all its depth", async () => {
    const unfrozen = [...everyObjectIn(await load({ yaml: EVERYTHING }))].filter(
      (value) => !Object.isFrozen(value),
    );
    expect(unfrozen).toEqual([]);
  });

  it.each([
    ["modle: x", '1: unknown key "modle"; did you mean "model"?'],
    ["tick: 1s\nlimits:\n  stpes: 3", '3: limits: unknown key "stpes"; did you mean "steps"?'],
    ["model: 3", "1: model: expected a name"],
    ["model: ''", "1: model: expected a name"],
    ["tick: fast", '1: tick: "fast" is no duration; write 500ms, 2s, 5m or 1h'],
    ["tick: [1]", "1: tick: expected a text or a number"],
    ["heartbeat: 500ms", "1: heartbeat: expected off, or at least 1s"],
    ["heartbeat: on", '1: heartbeat: "on" is no duration; write 500ms, 2s, 5m or 1h'],
    ["bus: kafka", "1: bus: expected memory, or a URL such as redis://localhost:6379/0"],
    ["bus: 7", "1: bus: expected memory, or a URL such as redis://localhost:6379/0"],
    ["name: My Legion", "1: name: expected a name of a-z, 0-9, dots, dashes and underscores, such as legion"],
    ["limits: 3", "1: limits: expected a map with the keys steps, tokens, cost, time, turns, agent, legion"],
    [
      "limits: { cost: 0 }",
      '1: limits.cost: "0" is no limit; write US dollars such as 2.50, above 0, or none',
    ],
    ["limits:\n  agent: { step: 1 }", '2: limits.agent: unknown key "step"; did you mean "steps"?'],
    ["memory: { strategy: best }", "1: memory.strategy: expected legion, rounds or recent"],
    ["memory: { strategy: [rounds] }", "1: memory.strategy: expected legion, rounds or recent"],
    [
      "memory: { threshold: 75 }",
      "1: memory.threshold: expected a share of the model's window up to 1, such as 0.75, or tokens from 1000 up",
    ],
    ["memory: { forgetErrors: maybe }", "1: memory.forgetErrors: expected on or off"],
    ["durability: none", "1: durability: expected disk or process"],
    [
      "models: { llama3: { window: 1 } }",
      "1: models.llama3: expected a name such as openai/llama3 or anthropic/<id>",
    ],
    ["models:\n  openai/x:\n    window: 8k", "3: models.openai/x.window: expected a whole number"],
    ["models: { openai/x: { price: { input: 1 } } }", '1: models.openai/x.price: "output" is missing'],
    ["providers: { antropic: {} }", '1: providers: unknown key "antropic"; did you mean "anthropic"?'],
    [
      "providers: { openai: { baseUrl: localhost } }",
      "1: providers.openai.baseUrl: expected a URL such as http://localhost:11434/v1",
    ],
    ["providers: { openai: { concurrency: 0 } }", "1: providers.openai.concurrency: expected at least 1"],
    ["web: on", "1: web: expected a map with the keys search, allowPrivate, browser"],
  ])("refuses %j in config.yaml, naming the line", async (yaml, message) => {
    expect(await refusal({ yaml })).toBe(`.ai-legion/config.yaml:${message}`);
  });

  it.each<[string, Given]>([
    ['LEGION_TICK: "fast" is no duration; write 500ms, 2s, 5m or 1h', { env: { LEGION_TICK: "fast" } }],
    [
      "LEGION_BUS: expected memory, or a URL such as redis://localhost:6379/0",
      { dotEnv: "LEGION_BUS=localhost:6379" },
    ],
    [
      "LEGION_NAME: expected a name of a-z, 0-9, dots, dashes and underscores, such as legion",
      { env: { LEGION_NAME: "{a}" } },
    ],
    [
      "--name: only for a legion in Redis; add --bus redis://host:port, or leave it out",
      { flags: { name: "scouts" } },
    ],
    [
      "--here: only for a legion in Redis; add --bus redis://host:port, or leave it out",
      { env: { LEGION_BUS: "redis://h" }, flags: { bus: "memory", pins: "move" } },
    ],
    [
      "--allow-volatile: only for a legion in Redis; add --bus redis://host:port, or leave it out",
      { flags: { volatile: "allow" } },
    ],
    ['AGENT_DELAY: "-1" is no duration; write 500ms, 2s, 5m or 1h', { env: { AGENT_DELAY: "-1" } }],
    ["--heartbeat: expected off, or at least 1s", { flags: { heartbeat: "5" } }],
    ['--limits: "stpes=1" is no limit; did you mean steps=...?', { flags: { limits: "stpes=1" } }],
    [
      '--tick: "soon" is no duration; write 500ms, 2s, 5m or 1h',
      { env: { LEGION_TICK: "1s" }, flags: { tick: "soon" } },
    ],
  ])("refuses with %j what is wrong in the environment or behind a flag", async (message, given) => {
    expect(await refusal(given)).toBe(message);
  });
});

describe("the bus of a legion", () => {
  it("is a Redis that the file, the environment or a flag names, the last of them first", async () => {
    const yaml = "bus: redis://file:1/1\nname: file";
    const env = { LEGION_BUS: "redis://variable:2/2", LEGION_NAME: "variable" };
    const flags = { bus: "redis://flag:3/3", name: "flag" };
    const shown = async (given: Given) => {
      const { bus, name } = await load(given);
      return [bus.kind === "redis" ? bus.address.shown : bus.kind, name];
    };
    expect(await shown({ yaml })).toEqual(["redis://file:1/1", "file"]);
    expect(await shown({ yaml, env })).toEqual(["redis://variable:2/2", "variable"]);
    expect(await shown({ yaml, env, flags })).toEqual(["redis://flag:3/3", "flag"]);
    expect(await shown({ yaml, env, flags: { bus: "memory" } })).toEqual(["memory", "variable"]);
    expect(await shown({ dotEnv: "LEGION_BUS=redis://:secret@dot:4/4" })).toEqual([
      "redis://dot:4/4",
      "legion",
    ]);
  });

  it("may lose what it was given, and takes over files, only where the command line says so", async () => {
    const flags = { bus: "redis://h" };
    expect((await load({ flags })).bus).toMatchObject({ volatile: "refuse", pins: "keep" });
    const bold = { ...flags, volatile: "allow", pins: "move" };
    expect((await load({ flags: bold })).bus).toMatchObject({ volatile: "allow", pins: "move" });
    expect(await refusal({ yaml: "volatile: allow" })).toContain('unknown key "volatile"');
  });
});

function* everyObjectIn(value: unknown, seen = new Set<unknown>()): Generator<object> {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  yield value;
  for (const inner of Object.values(value)) yield* everyObjectIn(inner, seen);
}
