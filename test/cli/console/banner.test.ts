import { describe, expect, it } from "vitest";
import { preface, summary } from "../../../src/cli/console/banner.ts";
import { describeCommands } from "../../../src/cli/console/reach.ts";
import { MODES, type Mode } from "../../../src/domain/supervision.ts";
import { columnsOf } from "../../../src/cli/kit/terminal.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { planRoster, type Roster } from "../../../src/legion/roster.ts";
import { createTempProject } from "../../temp-project.ts";

const TEAM = `agents:
  writer: { agent: scribe, model: openai/gpt-5, limits: { steps: 3 } }
  first: { agent: scribe }
  second: { agent: scribe }`;

const IN_REDIS = { LEGION_BUS: "redis://u:secret@h", LEGION_NAME: "scouts" };

async function rowsFor(columns: number, team?: string, env: Record<string, string> = {}, modules = "") {
  const project = await createTempProject({
    "agents/long.md": `---\ndescription: Writes ${"ever ".repeat(100)}\n---\n`,
    "agents/scribe.md": `---\ndescription: Writes.\n${modules}---\n`,
    "agents/team.yaml": team ?? "",
  });
  const config = await loadConfig({ projectDir: project, env, flags: { agent: "scribe" } });
  const who =
    team === undefined ? ({ kind: "count", count: 3 } as const) : ({ kind: "team", team: "team" } as const);
  const roster: Roster = await planRoster(who, {
    config,
    places: { projectDir: project, packageDir: project },
  });
  const { bus, name } = config;
  const nodes = "address" in bus ? { legion: name, shown: bus.address.shown } : undefined;
  const paint = (_: string, text: string): string => text;
  const facts = {
    roster,
    config,
    ...(nodes && { nodes }),
    project: "/p",
    columns,
    paint,
    mode: "prompt",
  } as const;
  const text = preface(facts);
  return { rows: text.trimEnd().split("\n"), roster, nodes, facts };
}

describe("what is said before anything happens", () => {
  it.each([
    [[], undefined, "there is no sandbox, so you are asked before one runs; --yes allows them"],
    [
      ["confirm", "confirm"],
      "confirm: each call with effects asks you; /h tells more",
      "there is no sandbox, so you are asked before one runs; --yes allows them",
    ],
    [
      ["human", "human"],
      "human: you say the calls, and no model is asked; /h tells more",
      "you type them, and there is no sandbox",
    ],
    [
      ["yolo", "yolo"],
      "yolo: nothing asks you; what is forbidden stays so; /h tells more",
      "agents may run them, without a sandbox; only start like this where you trust what they read",
    ],
    [
      ["yolo", "confirm"],
      "2: confirm; 1: yolo; /h tells more",
      "there is no sandbox, so you are asked before one runs; --yes allows them",
    ],
  ] as const)("says how the person watches over them: %j", async (modes, mode, commands) => {
    const watched = new Map<string, Mode>(modes.map((one, index) => [String(index + 1), one]));
    const { facts } = await rowsFor(200);
    const rows = preface({ ...facts, modes: watched }).split("\n");
    const said = (label: string) => rows.find((row) => row.startsWith(`  ${label} `))?.slice(12);
    expect([said("mode"), said("commands")]).toEqual([mode, commands]);
  });

  it.each([
    ["where all agents have theirs", ["local", "local", "local"], /^agents may run them, without a sandbox/],
    ["where nobody says otherwise, if they differ", ["local", "podman", "local"], /^they run in bubblewrap/],
  ] as const)("says where commands run: %s", async (_, kinds, commands) => {
    const { facts } = await rowsFor(200);
    const roles = facts.roster.roles.map((role, index) => ({
      ...role,
      environment: { kind: kinds[index]! },
    }));
    const sandbox = { kind: "bubblewrap", why: "" } as const;
    const modes = new Map<string, Mode>([["1", "yolo"]]);
    const rows = preface({ ...facts, roster: { ...facts.roster, roles }, sandbox, modes }).split("\n");
    expect(rows.find((row) => row.startsWith("  commands "))?.slice(12)).toMatch(commands);
  });

  it("never says that commands run without questions where somebody is asked, or types them", () => {
    const place = { said: {}, sandbox: { kind: "bubblewrap", why: "" } } as const;
    const said = (mode: Mode) => describeCommands({ policies: [] }, place, [mode]);
    expect(MODES.filter((mode) => said(mode).includes("without questions"))).toEqual(["usual", "yolo"]);
  });

  it("tells in its first row which model it is and why", async () => {
    const { rows } = await rowsFor(120);
    expect(rows).toEqual([
      "3 agents on offline (no ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL is set)",
      "  agents    1 to 3: scribe. Writes.",
      "  limits    none; set some with --limits steps=100,tokens=2000000,cost=2.50,time=8h",
      "  commands  there is no sandbox, so you are asked before one runs; --yes allows them",
      "  web       agents read pages; `legion doctor` says what it takes to let them search",
      "  files     /p/.ai-legion/agents/<id>: goals.json, notes/, log/",
      '  talk      "2: text" to agent 2, text to all that run here, /help for commands; Ctrl-C ends',
    ]);
  });

  it.each([
    [
      { kind: "bubblewrap" },
      [],
      "they run in bubblewrap, without questions: they reach the workspace, and no network",
    ],
    [
      { kind: "bubblewrap", network: ["example.com"] },
      [],
      "they run in bubblewrap, without questions: they reach the workspace, and example.com",
    ],
    [
      { kind: "bubblewrap", network: "on" },
      [],
      "they run in bubblewrap: they reach the workspace, and any host; that is no sandbox, so you are asked before one runs",
    ],
    [
      { kind: "podman", args: ["--privileged"] },
      [],
      "they run in podman: they reach the workspace, and no network; that is no sandbox, so you are asked before one runs",
    ],
    [
      { kind: "podman", network: "on" },
      [{ by: "--yes" }],
      "they run in podman, without questions: they reach the workspace, and any host",
    ],
    [
      {},
      [],
      "there is no sandbox, so you are asked before one runs; --yes allows them (user namespaces are off)",
    ],
  ] as const)(
    "tells where commands run, and whether they are asked: %j",
    async (commandEnvironment, said, words) => {
      const projectDir = await createTempProject({ "agents/scribe.md": "---\ndescription: Writes.\n---\n" });
      const plain = await loadConfig({ projectDir, env: {}, flags: { agent: "scribe" } });
      const policies = said.map(({ by }) => ({ by, as: "person" as const }));
      const config = { ...plain, commandEnvironment, policies };
      const places = { projectDir, packageDir: projectDir };
      const roster = await planRoster({ kind: "count", count: 1 }, { config, places });
      const sandbox = { kind: "local", why: "user namespaces are off" } as const;
      const paint = (_: string, text: string): string => text;
      const look = { project: "/p", columns: 400, paint, mode: "prompt" } as const;
      expect(preface({ roster, config, sandbox, ...look })).toContain(`  commands  ${words}\n`);
    },
  );

  it("names each once, and cuts what one says of itself at length", async () => {
    const { rows } = await rowsFor(
      400,
      "agents: { scribe: { agent: scribe }, b: { agent: scribe }, c: { agent: agents/scribe.md } }",
    );
    expect(rows.at(-1)).toMatch(/^ {2}talk {6}"b: text" to b, text to all/);
    expect(rows.filter((row) => row.includes("scribe"))).toEqual([
      "  agents    scribe, b: scribe. Writes.",
      "            c: scribe. Writes.",
    ]);
    const one = await rowsFor(400, "agents: { scribe: { agent: scribe } }");
    expect(one.rows[1]).toBe("  agents    scribe: Writes.");
    const { rows: cut } = await rowsFor(400, "agents: { a: { agent: long } }");
    expect(cut[1]).toMatch(/^ {2}agents {4}a: long\. Writes (?:ever )+.{0,4}…$/);
    expect(cut[1]!.length).toBeLessThan(200);
  });

  it("tells what the person lets all of their projects spend", async () => {
    const limitsIn = async (limits: string) => {
      const home = await createTempProject({ "ai-legion/config.yaml": `limits: { ${limits} }` });
      const { rows } = await rowsFor(400, undefined, { XDG_CONFIG_HOME: home });
      return rows[3];
    };
    expect(await limitsIn("day: { cost: 5 }, month: { cost: 90, steps: 10000 }")).toBe(
      "            5 USD a day and 10000 steps, 90 USD a month for all of your projects together",
    );
    expect(await limitsIn("month: { tokens: 5000 }")).toMatch(/^ {12}5000 tokens a month for all/);
    expect(await limitsIn("day: none")).toMatch(/^ {2}commands/);
  });

  it("tells of agents that read the web whether they can search there", async () => {
    const web = async (env: Record<string, string>) =>
      (await rowsFor(400, "agents: { one: { agent: scribe, modules: [core, web] } }", env)).rows.find((row) =>
        row.startsWith("  web "),
      );
    expect(await web({})).toMatch(/^ {2}web {7}agents read pages; `legion doctor` says what it takes /);
    expect(await web({ BRAVE_API_KEY: "a-key" })).toBe(
      "  web       agents read pages, and search with Brave Search: BRAVE_API_KEY is set in the environment",
    );
    expect(await web({ SEARXNG_URL: "nowhere" })).toMatch(/cannot search: SEARXNG_URL/);
  });

  it("tells where a legion in Redis is, and nobody the password", async () => {
    const { rows } = await rowsFor(120, undefined, IN_REDIS);
    expect(rows.slice(5, 7)).toEqual([
      "  legion    scouts at redis://h:6379/0; other processes join it with the same --bus and --name",
      "  files     /p/.ai-legion/agents/<id>: goals.json, notes/, as copies to read",
    ]);
    expect(rows.join()).not.toContain("secret");
  });

  it("tells of each agent what is not the same for all", async () => {
    const { rows } = await rowsFor(200, TEAM, { OPENAI_API_KEY: "a-key" });
    expect(rows.slice(0, 4)).toEqual([
      "3 agents on 2 models",
      "  agents    writer: scribe, on openai/gpt-5 (the team says so), limits: 3 steps. Writes.",
      "            first, second: scribe, on openai/gpt-6.1-terra (OPENAI_API_KEY is set), limits: 500 steps. Writes.",
      "  limits    as above for each agent, 5 USD for the legion; change them with " +
        "--limits steps=100,tokens=2000000,cost=2.50,time=8h or --limits none",
    ]);
  });

  it("tells where requests go unless it is the provider itself", async () => {
    const env = { OPENAI_API_KEY: "a-key", LEGION_MODEL: "openai/m" };
    const at = async (url: string) =>
      (await rowsFor(200, undefined, { ...env, OPENAI_BASE_URL: url })).rows[0];
    expect(await at("http://localhost:11434/v1")).toBe(
      "3 agents on openai/m at localhost:11434 (LEGION_MODEL is set)",
    );
    expect(await at("https://api.openai.com/v1")).toBe("3 agents on openai/m (LEGION_MODEL is set)");
    const { rows } = await rowsFor(200, TEAM, { ...env, OPENAI_BASE_URL: "https://gateway.example" });
    expect(rows[1]).toContain("on openai/gpt-5 at gateway.example (the team says so)");
  });

  it("fits into narrow terminals", async () => {
    for (const columns of [40, 50, 80]) {
      const { rows } = await rowsFor(columns);
      for (const row of rows) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
    }
  });
});

describe("what is said at the end", () => {
  it("says what was found, where to see it, and what it cost", async () => {
    const { roster } = await rowsFor(80);
    const spent = { steps: 12, tokens: 34_500, cost: 0, timeMs: 0 };
    const program = "npx legion";
    const ending = "Done.";
    const said = { by: "2", content: "All three\nbeds are\u001b[31m dug." };
    expect(summary({ said, ending, roster, spent, program, columns: Infinity })).toBe(
      "Agent 2: All three beds are dug.\n" +
        "See more with: npx legion inbox, npx legion goals 2, npx legion notes 2, npx legion log 2\n" +
        "Done. 3 agents in this run: 12 steps, 34.5k tokens, free.\n",
    );
    const long = { by: "2", content: "x".repeat(9_000) };
    expect(summary({ said: long, ending, roster, spent, program, columns: Infinity }).length).toBeLessThan(
      600,
    );
    const paid = summary({
      said: undefined,
      ending: "Done.",
      roster,
      spent: { ...spent, cost: 1.5 },
      program: "legion",
      columns: 80,
    });
    expect(paid).toContain("12 steps, 34.5k tokens, 1.50 USD.\n");
  });

  it("names no goals and notes of agents that have none", async () => {
    const { rows, roster } = await rowsFor(200, undefined, {}, "modules: [core, messaging]\n");
    expect(rows).toContain("  files     /p/.ai-legion/agents/<id>: log/");
    const spent = { steps: 1, tokens: 0, cost: 0, timeMs: 0 };
    const options = { said: undefined, ending: "Done.", roster, spent, program: "legion", columns: 200 };
    expect(summary(options)).toContain("See more with: legion inbox, legion log 1\n");
  });

  it("says how to find a legion that is in Redis", async () => {
    const { roster, nodes } = await rowsFor(80, undefined, IN_REDIS);
    const spent = { steps: 0, tokens: 0, cost: 0, timeMs: 0 };
    const text = summary({
      said: undefined,
      ending: "Ended.",
      roster,
      spent,
      program: "legion",
      nodes,
      columns: Infinity,
    });
    expect(text).toContain(
      "legion log 1; each with the same --bus and --name, or LEGION_BUS and LEGION_NAME\n",
    );
  });
});
