import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findDefinition, findTeam, type Definition, type Member } from "../../src/config/definition.ts";
import { loadModules } from "../../src/config/module-loader.ts";
import { isLegionError, messageOf } from "../../src/base/errors.ts";
import { createTempProject } from "../temp-project.ts";

const OURS = fileURLToPath(new URL("../..", import.meta.url));

interface Given {
  readonly project?: Readonly<Record<string, string>>;
  readonly package?: Readonly<Record<string, string>>;
}

async function places(given: Given) {
  return {
    projectDir: await createTempProject(given.project),
    packageDir: await createTempProject(given.package),
  };
}

async function define(text: string): Promise<Definition> {
  return findDefinition("it", await places({ project: { "agents/it.md": text } }));
}

async function team(text: string): Promise<readonly Member[]> {
  return findTeam("team.yaml", await places({ project: { "team.yaml": text } }));
}

async function refusal(found: Promise<unknown>): Promise<string> {
  const error: unknown = await found.catch((thrown: unknown) => thrown);
  expect(isLegionError(error, "CONFIG") || isLegionError(error, "USAGE"), messageOf(error)).toBe(true);
  return messageOf(error);
}

describe("a definition", () => {
  it("says what the agent is in its front matter, and is the brief below it", async () => {
    const text = `---
name: Poet
description: >
  Writes poems,
  mostly short ones.
model: offline
protocol: text
modules: [core, ./my-module.js]
tick: 2s
memory: { strategy: recent, threshold: 0.5, pin: top }
limits: { steps: 20, time: 1h, cost: none }
policy: { profile: read-only, ask: [run npm test] }
---

# You write poems

---
Rhyme: always.
`;
    expect(await define(text)).toEqual({
      name: "Poet",
      environment: {},
      description: "Writes poems, mostly short ones.",
      model: "offline",
      protocol: "text",
      modules: ["core", "./my-module.js"],
      tickMs: 2_000,
      memory: { strategy: "recent", threshold: 0.5, pin: "top" },
      limits: { steps: 20, timeMs: 3_600_000, cost: "none" },
      policy: [{ by: "agents/it.md", as: "anybody", profile: "read-only", ask: ["run npm test"] }],
      grants: [],
      brief: "# You write poems\n\n---\nRhyme: always.",
    });
  });

  it.each(["---\n---\n", "---\r\n---\r\n", "\uFEFF---\n# nothing\n---"])(
    "needs to say nothing: %j",
    async (text) => {
      expect(await define(text)).toEqual({
        name: "it",
        environment: {},
        description: "",
        protocol: "auto",
        modules: ["core", "goals", "notes", "messaging", "system", "web"],
        memory: {},
        limits: {},
        policy: [],
        grants: [],
        brief: "",
      });
    },
  );

  it.each([
    ["You write poems.", "1: expected ---, the line that opens the front matter"],
    ["", "1: expected ---, the line that opens the front matter"],
    ["---\nname: x\n", "1: the front matter has no end; close it with a line ---"],
    ["---\nname: x\nmdules: [core]\n---\n", '3: unknown key "mdules"; did you mean "modules"?'],
    [
      "---\r\nname: x\r\n\r\nprotocoll: text\r\n---\r\n",
      '4: unknown key "protocoll"; did you mean "protocol"?',
    ],
    ["---\nprotocol: bash\n---\n", '1: "templates" is missing: instance, observation and formatError'],
    ["---\nprotocol: xml\n---\n", "2: protocol: expected auto, text, tools or bash"],
    ["---\nskills: some\n---\n", "2: skills: expected all, or a list of skills such as [pdf, release-notes]"],
    ["---\npolicy: { deny: [rum x] }\n---\n", '2: policy.deny.0: "rum x" is no rule; did you mean run ...?'],
    ["---\npolicy: { alow: [] }\n---\n", '2: policy: unknown key "alow"; did you mean "allow"?'],
    ["---\nmcp: {}\n---\n", "2: mcp: expected all, or a list of MCP servers such as [files, tickets]"],
    ["---\nenvironment: dock\n---\n", "2: environment.kind: expected bubblewrap, local, docker or podman"],
    [
      "---\nmodules: core\n---\n",
      "2: modules: expected a list of modules such as [core, notes, ./my-module.js]",
    ],
    ["---\nmodules:\n  - core\n  - 3\n---\n", "4: modules.1: expected a name"],
    [
      "---\nlimits: { steps: many }\n---\n",
      '2: limits.steps: "many" is no limit; write a whole number above 0, or none',
    ],
    [
      "---\ndescription: {{what}}\n---\n",
      "2: not valid YAML: a map cannot be a key; put a value such as {{x}} in quotes",
    ],
  ])("that is wrong is refused with its line: %j", async (text, message) => {
    expect(await refusal(define(text))).toBe(`agents/it.md:${message}`);
  });
});

describe("findDefinition", () => {
  const named = (name: string) => `---\nname: ${name}\n---\n`;

  it("looks in the project first, then in the package", async () => {
    const both = await places({
      project: { "agents/a.md": named("mine") },
      package: { "agents/a.md": named("ours"), "agents/b.md": named("ours too") },
    });
    expect((await findDefinition("a", both)).name).toBe("mine");
    expect((await findDefinition("b", both)).name).toBe("ours too");
  });

  it("takes the path of a file in the project", async () => {
    const both = await places({ project: { "deep/x.md": "---\n---\n", "y.md": "---\n---\n" } });
    for (const path of ["./deep/x.md", "deep/x.md", join(both.projectDir, "deep/x.md")]) {
      expect((await findDefinition(path, both)).name).toBe("x");
    }
    expect((await findDefinition("y.md", both)).name).toBe("y");
    expect(await refusal(findDefinition("./z.md", both))).toBe('there is no file "./z.md"');
  });

  it("names the nearest of the known ones, or all of them", async () => {
    const both = await places({
      project: { "agents/poet.md": "---\n---\n", "agents/readme.txt": "" },
      package: { "agents/legionnaire.md": "---\n---\n", "agents/crew.yaml": "" },
    });
    expect(await refusal(findDefinition("legionaire", both))).toBe(
      'there is no agent "legionaire"; did you mean "legionnaire"?',
    );
    expect(await refusal(findDefinition("x", both))).toBe('there is no agent "x"; known: legionnaire, poet');
  });

  it.each(["..", ".", "", "-rf", "a\nb", ".hidden", "x".repeat(65), "__proto__"])(
    "finds nothing under %j, which is no name",
    async (name) => {
      const both = await places({ project: { "agents/poet.md": "", "agents/.hidden.md": named("h") } });
      expect(await refusal(findDefinition(name, both))).toMatch(
        /^there is no agent ".*"; known: [^\n]*poet$/,
      );
    },
  );

  it.each([
    "../outside",
    "../outside.md",
    "./../outside.md",
    "agents/../../outside.md",
    "/etc/passwd",
    "./link.md",
  ])("never reads %j, outside of the project", async (path) => {
    const folder = await createTempProject({ "outside.md": named("outside") });
    const projectDir = join(folder, "project");
    await mkdir(projectDir);
    await symlink(join(folder, "outside.md"), join(projectDir, "link.md"));
    expect(await refusal(findDefinition(path, { projectDir, packageDir: folder }))).toBe(
      `${JSON.stringify(path)} lies outside the project; use a path inside it`,
    );
  });

  it("refuses a file that is too long to be one", async () => {
    const both = await places({ project: { "agents/long.md": "x".repeat(1_048_577) } });
    expect(await refusal(findDefinition("long", both))).toMatch(/^agents\/long\.md: is 1048577 bytes long/);
  });
});

describe("findTeam", () => {
  it("reads the members with what each of them overrides", async () => {
    const text = `
agents:
  writer:
    agent: poet
    model: offline
    brief: |
      Write odes.
    limits: { steps: 3 }
    policy: { deny: [send *] }
    modules: [core]
  critic: { agent: ./critic.md }
`;
    expect(await team(text)).toEqual([
      {
        id: "writer",
        agent: "poet",
        model: "offline",
        brief: "Write odes.",
        limits: { steps: 3 },
        policy: [{ by: "team.yaml", as: "anybody", deny: ["send *"] }],
        grants: [],
        modules: ["core"],
      },
      { id: "critic", agent: "./critic.md", limits: {}, policy: [], grants: [] },
    ]);
  });

  it("keeps the order of the file, numbers first", async () => {
    const members = await team(
      "agents: { zoe: { agent: a }, 2: { agent: a }, abe: { agent: a }, 1: { agent: a } }",
    );
    expect(members.map(({ id }) => id)).toEqual(["1", "2", "zoe", "abe"]);
  });

  it("finds a team by its name in agents/, or by any path", async () => {
    const text = "agents: { a: { agent: x } }";
    const both = await places({ project: { "t/mine.yml": text }, package: { "agents/crew.yaml": text } });
    const outside = await createTempProject({ "their.yaml": text });
    for (const reference of ["crew", "t/mine.yml", "./t/mine.yml", join(outside, "their.yaml")]) {
      expect(await findTeam(reference, both)).toHaveLength(1);
    }
    expect(await refusal(findTeam("crwe", both))).toBe('there is no team "crwe"; did you mean "crew"?');
    expect(await refusal(findTeam("no.yaml", both))).toBe('there is no file "no.yaml"');
  });

  it("takes a thousand agents and not one more", async () => {
    const of = (count: number) =>
      `agents:\n${Array.from({ length: count }, (_, n) => `  a${n}: { agent: x }`).join("\n")}`;
    expect(await team(of(1_000))).toHaveLength(1_000);
    expect(await refusal(team(of(1_001)))).toBe("team.yaml:1: agents: expected at most 1000 agents");
  });

  it.each([
    ["", '1: "agents" is missing'],
    ["agents: {}", "1: agents: expected at least one agent"],
    ["agents: [a]", "1: agents: expected a map from agent ids to what they are"],
    [
      "agents:\n  a: poet",
      "2: agents.a: expected a map with the keys agent, model, brief, limits, policy, environment, modules, actions, skills, mcp, memories, workspace",
    ],
    ["agents:\n  a: {}", '2: agents.a: "agent" is missing'],
    ["agents:\n  a:\n    agnet: x", '3: agents.a: unknown key "agnet"; did you mean "agent"?'],
    ["agents:\n  a: { agent: x }\n  a: { agent: y }", '3: the key "a" is here a second time'],
    ['agents:\n  a: { agent: "x\\ny" }', "2: agents.a.agent: expected a name"],
    ["members: {}", '1: unknown key "members"; known keys: agents'],
  ])("refuses %j with its line", async (text, message) => {
    expect(await refusal(team(text))).toBe(`team.yaml:${message}`);
  });

  it.each(["Writer", "0", "all", "a b", "con", "../x", "a."])("refuses the agent id %j", async (id) => {
    expect(await refusal(team(`agents:\n  ${JSON.stringify(id)}: { agent: x }`))).toBe(
      `team.yaml:2: agents.${id}: ` +
        "expected an agent id: lower-case letters and digits, inside also dots, dashes, underscores",
    );
  });
});

describe("what the package ships", () => {
  const here = { projectDir: OURS, packageDir: OURS };

  it("has a legionnaire, the agent of those who name none", async () => {
    const legionnaire = await findDefinition("legionnaire", here);
    expect(legionnaire.modules).toEqual(["core", "goals", "notes", "messaging", "system", "web"]);
    expect(legionnaire.description).not.toBe("");
    expect(legionnaire.brief).not.toBe("");
  });

  it("has an assistant of 50 turns, compacted by rounds, whose brief names only what it can do", async () => {
    const { brief, modules, ...others } = await findDefinition("assistant", here);
    expect(modules).toEqual(["core", "system", "session", "messaging", "web", "skills", "mcp"]);
    const kept = { protocol: "auto", limits: { turns: 50 }, memory: { strategy: "rounds" } };
    expect(others).toMatchObject({ ...kept, description: expect.stringMatching(/./) as string });
    const actions = (await loadModules(modules, here)).flatMap((module) => Object.keys(module.actions));
    expect(actions).toEqual(
      expect.arrayContaining(Array.from(brief.matchAll(/`(.+?)`/g), ([, name]) => name)),
    );
  });

  it("has a team of three whose briefs name each other by the ids they have there", async () => {
    const ids = (await findTeam("workshop", here)).map(({ id }) => id);
    expect(ids).toEqual(["planner", "builder", "reviewer"]);
    for (const id of ids) {
      const { brief } = await findDefinition(id, here);
      for (const other of ids.filter((peer) => peer !== id)) expect(brief).toContain(`\`${other}\``);
    }
  });
});
