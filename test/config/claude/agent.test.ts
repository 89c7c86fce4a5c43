import { describe, expect, it } from "vitest";
import { readClaudeAgent, type ClaudeAgent } from "../../../src/config/claude/agent.ts";
import { indexActions } from "../../../src/agent/parts/module-set.ts";
import { allActions, BASE, EVERYTHING, mapTools } from "../../../src/config/claude/tools.ts";
import { loadModules } from "../../../src/config/module-loader.ts";
import { textProtocol } from "../../../src/model/protocol/text.ts";
import { packageDir } from "../../../src/base/package.ts";
import { createTempProject } from "../../temp-project.ts";

function read(text: string): ClaudeAgent {
  const agent = readClaudeAgent(text, "file");
  expect(agent).toBeDefined();
  return agent!;
}

const front = (text: string): ClaudeAgent => read(`---\n${text}\n---\nYou help.\n`);

/** Files as people keep them, made up. */
const FILES: readonly (readonly [what: string, text: string, expected: Partial<ClaudeAgent>])[] = [
  [
    "a plain one",
    "name: code-reviewer\ndescription: Reviews code.\ntools: Read, Grep, Glob, Bash\nmodel: inherit",
    {
      name: "code-reviewer",
      description: "Reviews code.",
      model: undefined,
      modules: ["core", "messaging", "system"],
      remarks: [],
    },
  ],
  [
    "tools as a list",
    "name: a\ndescription: b\ntools:\n  - Write\n  - WebSearch",
    {
      modules: ["core", "messaging", "system", "web"],
      actions: [...BASE.actions, "writeFile", "createDirectory", "searchWeb"],
    },
  ],
  [
    "a colon in its description, which is no YAML",
    "name: debugger\ndescription: Use this: when tests fail\ntools: Read",
    { name: "debugger", description: "Use this: when tests fail", modules: ["core", "messaging", "system"] },
  ],
  [
    "examples on one line, with \\n in them",
    'name: x\ndescription: Use it when: asked.\\n\\n<example>\\nContext: A user asks.\\nuser: "Do: it"\\n</example>\nmodel: opus',
    {
      description: 'Use it when: asked. <example> Context: A user asks. user: "Do: it" </example>',
      model: "anthropic/claude-opus-5-5",
    },
  ],
  [
    "examples on lines of their own, that look like keys",
    'name: x\ndescription: Use it. Examples:\n<example>\nContext: A user asks.\nuser: "Do it"\nname: nobody\n</example>\n\ntools: Read\nmodel: haiku',
    {
      name: "x",
      description: 'Use it. Examples: <example> Context: A user asks. user: "Do it" name: nobody </example>',
      actions: [...BASE.actions, "readFile"],
      model: "anthropic/claude-haiku-5-5",
    },
  ],
  [
    "no tools: it has everything",
    "name: x\ndescription: y",
    { modules: EVERYTHING, actions: undefined, skills: "all" },
  ],
  ["all tools", "name: x\ndescription: y\ntools: '*'", { modules: EVERYTHING, actions: undefined }],
  [
    "an empty list of tools",
    "name: x\ndescription: y\ntools: []",
    { modules: BASE.modules, actions: BASE.actions },
  ],
  [
    "tools of MCP servers",
    "name: x\ndescription: y\ntools: mcp__github__create_issue, mcp__my-db, mcp__docs__*",
    {
      modules: ["core", "messaging", "mcp"],
      actions: [...BASE.actions, "github__create_issue", "my-db__*", "docs__*"],
      mcp: ["github", "my-db", "docs"],
      remarks: [],
    },
  ],
  [
    "a tool of every MCP server, and servers",
    "name: x\ndescription: y\ntools: mcp__*\nmcpServers: [github]",
    { actions: [...BASE.actions, "*__*", "github__*"], mcp: "all" },
  ],
  [
    "tools that it may not have",
    "name: x\ndescription: y\ndisallowedTools: Write, Bash(rm:*), mcp__github__*, Read(./secrets/**)",
    {
      actions: undefined,
      policy: {
        deny: [
          "action writeFile",
          "action createDirectory",
          "run rm *",
          "action github__*",
          "action readFile",
        ],
      },
      remarks: ["disallowedTools: Read(./secrets/**): it has nothing of that tool"],
    },
  ],
  [
    "turns, skills and a color",
    "name: x\ndescription: y\ntools: Read\nmaxTurns: 12\nskills: pdf, release-notes\ncolor: Purple\nmodel: claude-sonnet-4-5-20250929",
    {
      limits: { turns: 12 },
      skills: ["pdf", "release-notes"],
      preloaded: ["pdf", "release-notes"],
      modules: ["core", "messaging", "system", "skills"],
      actions: [...BASE.actions, "readFile", "getSkill"],
      color: "purple",
      model: "anthropic/claude-sonnet-4-5-20250929",
    },
  ],
  [
    "skills beside the tool for all of them",
    "name: x\ndescription: y\ntools: Read, Skill\nskills: [pdf]",
    { skills: "all", preloaded: ["pdf"], actions: [...BASE.actions, "readFile", "getSkill"] },
  ],
  [
    "servers by name, and one that stands in it",
    "name: x\ndescription: y\ntools: Read\nmcpServers:\n  - github\n  - db:\n      command: ./db",
    {
      modules: ["core", "messaging", "system", "mcp"],
      actions: [...BASE.actions, "readFile", "github__*", "db__*"],
      mcp: ["github", "db"],
      remarks: [],
    },
  ],
  [
    "servers in it as a map, where its description is no YAML",
    "name: x\ndescription: Use it: when asked\nmcpServers:\n  db:\n    command: ./db\n  github:\ntools: Read",
    { actions: [...BASE.actions, "readFile", "db__*", "github__*"], mcp: ["db", "github"], remarks: [] },
  ],
  [
    "fields that mean nothing here",
    "name: x\ndescription: y\ntools: Read\npermissionMode: bypassPermissions\nhooks: { Stop: [] }\nmemory: user\nbackground: true\nisolation: worktree\neffort: high\ninitialPrompt: Go\nversion: 2",
    {
      policy: undefined,
      remarks: [
        "permissionMode: the policy judges each call",
        "hooks: no hook runs; the policy judges each call",
        "memory: its log is kept, and of other projects it knows nothing",
        "background: every agent works beside the others",
        "isolation: it works in the project folder",
        "effort: its model thinks as it does by default",
        "initialPrompt: it begins with the mail that it gets",
        "version: not known here, and without effect",
      ],
    },
  ],
  [
    "plan mode",
    "name: x\ndescription: y\ntools: Read\npermissionMode: plan",
    { policy: { profile: "read-only", deny: [] }, remarks: ["permissionMode: it has the profile read-only"] },
  ],
  [
    "the message to its team, which everybody can send",
    "name: x\ndescription: y\ntools: Read, SendMessage",
    { actions: [...BASE.actions, "readFile"], remarks: [] },
  ],
  [
    "tools without a counterpart, and limited ones",
    "name: x\ndescription: y\ntools: Read, Task, LSP, Bash(git log, git diff:*)",
    {
      remarks: [
        "tools: Task: it starts no agents; it sends messages to those of its team",
        "tools: LSP: nothing here does what it does",
        "tools: Bash(git log, git diff:*): all of Bash is meant; the policy judges each call",
      ],
    },
  ],
];

describe("an agent of Claude Code", () => {
  it.each(FILES)("is read as it is: %s", (_, text, expected) => {
    expect(front(text)).toMatchObject({ ...expected, brief: "You help." });
    for (const [key, value] of Object.entries(expected))
      expect(front(text)[key as keyof ClaudeAgent]).toEqual(value);
  });

  it("is read where an empty line begins its front matter, and a rule of another length ends it", () => {
    const text = "---\n\nname: builder\ndescription: Builds\u2011it: all.\ntools: Read\n-----\n\nYou help.\n";
    expect(read(text)).toMatchObject({
      name: "builder",
      actions: [...BASE.actions, "readFile"],
      brief: "You help.",
    });
  });

  it("is none without front matter", () => {
    expect(readClaudeAgent("# Agents\n\nName: these are ours.", "README")).toBeUndefined();
  });

  it.each([
    ["a path as its name", "name: ../../etc/passwd", "file"],
    ["controls in its name", 'name: "a\\u001b[31m"', "file"],
    ["no name", "description: y", "file"],
    ["a list as its name", "name: [a]", "file"],
    ["a name beyond measure", `name: ${"n".repeat(5_000)}`, "file"],
  ])("has a name that can be typed: %s", (_, text, name) => {
    expect(front(`${text}\ntools: Read`).name).toBe(name);
  });

  describe("hostile: definitions", () => {
    it.each([
      ["a description of a megabyte", `description: ${"a: , ".repeat(200_000)}`],
      ["a megabyte of tools", `tools: ${"Read(, ".repeat(150_000)}`],
      ["keys of objects", "constructor: 1\n__proto__: 2\ntoString: 3"],
      ["aliases that multiply", `a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\ntools: [*c,*c]`],
      [
        "numbers and maps everywhere",
        "name: 3\ntools: { a: 1 }\nmodel: []\nmaxTurns: -1\nskills: { b: 2 }\ncolor: 7",
      ],
    ])("%s is read in short time, and what is said of it fits a line", (_, text) => {
      const { description, remarks } = front(text);
      for (const line of [description, ...remarks]) {
        expect(line).not.toMatch(/\p{Cc}/u);
        expect(line.length).toBeLessThanOrEqual(1_000);
      }
      expect(remarks.length).toBeLessThan(1_100);
    });
  });
});

it("every tool of the table stands for actions that there are", async () => {
  const places = { projectDir: await createTempProject(), packageDir };
  const { actions } = indexActions(await loadModules(EVERYTHING, places), textProtocol);
  expect([...BASE.actions, ...allActions([])].filter((name) => !actions.has(name))).toEqual([]);
  expect([...actions.keys()].filter((name) => ![...BASE.actions, ...allActions([])].includes(name))).toEqual(
    [],
  );
  expect(mapTools(["Edit", "MultiEdit"]).actions).toEqual(["editFile"]);
});
