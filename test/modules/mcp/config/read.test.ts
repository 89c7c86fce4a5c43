import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readServers, type ServersFound } from "../../../../modules/mcp/config/read.ts";
import { createTempProject } from "../../../temp-project.ts";

const variables = { TOKEN: "t0ken", EMPTY: "" };

async function reading(files: Readonly<Record<string, string>>): Promise<ServersFound & { project: string }> {
  const project = await createTempProject();
  mkdirSync(join(project, ".ai-legion"), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
  return { project, ...(await readServers({ project, variables })) };
}

const servers = (mcpServers: object): string => JSON.stringify({ mcpServers }, null, 2);

describe("the servers of a project", () => {
  it("come from both files; of one name the first counts", async () => {
    const { entries, problems, project } = await reading({
      ".ai-legion/mcp.json": servers({ one: { command: "mine", args: ["a"] } }),
      ".mcp.json": servers({
        one: { command: "theirs" },
        two: { url: "https://example.com/mcp" },
        three: { type: "sse", url: "http://localhost:1/sse", headers: { Authorization: "Bearer ${TOKEN}" } },
        off: { command: "never", disabled: true },
      }),
    });
    expect(problems).toEqual([]);
    expect(entries.map(({ name, way, place }) => ({ name, place, ...way }))).toEqual([
      {
        name: "one",
        place: ".ai-legion/mcp.json:3",
        kind: "stdio",
        command: "mine",
        args: ["a"],
        env: {},
        cwd: project,
      },
      { name: "two", place: ".mcp.json:6", kind: "http", url: "https://example.com/mcp", headers: {} },
      {
        ...{ name: "three", place: ".mcp.json:9", kind: "sse", url: "http://localhost:1/sse" },
        headers: { Authorization: "Bearer t0ken" },
      },
    ]);
  });

  it("stand on the lines on which they are named, whatever else is called like them", async () => {
    const text = `{ "other": { "a": 1 }, "mcpServers": {
  "b:{\\"": { "command": "x", "env": { "c": "a",
    "a": "\\\\" } },
  "a":
    { "command": "y" }, "\\u0063": { "command": "z" } } }`;
    const { problems } = await reading({ ".mcp.json": text.replaceAll('"command"', '"nothing"') });
    expect(problems).toEqual([
      expect.stringMatching(/^\.mcp\.json:2: server "b:\{"": /),
      expect.stringMatching(/^\.mcp\.json:4: server "a": /),
      expect.stringMatching(/^\.mcp\.json:5: server "c": /),
    ]);
  });

  it("are none where there is no file, and nothing is wrong with that", async () => {
    expect(await reading({})).toMatchObject({ entries: [], problems: [] });
  });

  it("get variables, and what stands for those that are not set", async () => {
    const { entries } = await reading({
      ".mcp.json": servers({
        a: { command: "x", args: ["${TOKEN}", "${NONE:-b c}", "${EMPTY:-d}", "${EMPTY}", "$HOME"] },
      }),
    });
    expect(entries[0]!.way).toMatchObject({ args: ["t0ken", "b c", "d", "", "$HOME"] });
  });

  it("have another hash where anything of an entry is another, but not for the value of a variable", async () => {
    const project = await createTempProject();
    const hash = async (entry: object, token = "t0ken") => {
      writeFileSync(join(project, ".mcp.json"), servers({ a: entry }));
      const found = await readServers({ project, variables: { TOKEN: token } });
      return found.entries[0]!.hash;
    };
    const first = await hash({ command: "x", args: ["${TOKEN}"] });
    expect(await hash({ command: "x", args: ["${TOKEN}"] }, "other")).toBe(first);
    expect(await hash({ command: "x", args: ["${TOKEN}", "y"] })).not.toBe(first);
    expect(await hash({ command: "x", args: ["${TOKEN}"], env: { LD_PRELOAD: "y" } })).not.toBe(first);
    // Where a URL leads is what a person allows, whoever says so.
    const elsewhere = await Promise.all(
      ["a", "b"].map((host) => hash({ url: "https://${TOKEN}.test/" }, host)),
    );
    expect(elsewhere[0]).not.toBe(elsewhere[1]);
  });
});

describe("hostile: MCP", () => {
  const good = { fine: { command: "fine" } };
  const line = (entry: unknown) => servers({ bad: entry, ...good });
  it.each([
    [
      "a command and a url",
      line({ command: "x", url: "http://a" }),
      '.mcp.json:3: server "bad": has a command and a url',
    ],
    ["neither", line({ args: [] }), '.mcp.json:3: server "bad": "command" or "url" is missing'],
    [
      "an unset variable",
      line({ command: "${NONE}" }),
      '.mcp.json:3: server "bad": the variable NONE is not set',
    ],
    [
      "a variable of every object",
      line({ command: "${constructor}" }),
      '.mcp.json:3: server "bad": the variable constructor is not set',
    ],
    [
      "an unknown type",
      line({ command: "x", type: "pigeon" }),
      '.mcp.json:3: server "bad": expected stdio, http or sse',
    ],
    [
      "a type that does not fit",
      line({ command: "x", type: "http" }),
      '.mcp.json:3: server "bad": type is http and needs a url',
    ],
    [
      "arguments that are no list",
      line({ command: "x", args: "y" }),
      '.mcp.json:3: server "bad": expected a list as args',
    ],
    ...["command", "args", "env", "cwd"].map((key): [string, string, string] => {
      const value = { args: ["a\0b"], env: { A: "a\0b" } }[key] ?? "a\0b";
      const entry = { command: "x", [key]: value };
      return [`a NUL in ${key}`, line(entry), '.mcp.json:3: server "bad": has a NUL character in it'];
    }),
    [
      "a variable that says another",
      line({ command: "x", env: { "A=1\nB": "2" } }),
      '.mcp.json:3: server "bad": expected names of variables in env',
    ],
    [
      "a url of a file",
      line({ url: "file:///etc/passwd" }),
      '.mcp.json:3: server "bad": expected a url such as',
    ],
    [
      "a password in a url",
      line({ url: "https://a:b@c.test/" }),
      '.mcp.json:3: server "bad": url has a user name or a password in it',
    ],
    ["an entry that is no map", line(7), '.mcp.json:3: server "bad": expected a map with command or url'],
  ])("%s: one line with file and line, and the rest works", async (_, text, problem) => {
    const { entries, problems } = await reading({ ".mcp.json": text });
    expect(problems).toHaveLength(1);
    expect(problems[0]!.slice(0, problem.length)).toBe(problem);
    expect(problems[0]).not.toContain("\n");
    expect(entries.map(({ name }) => name)).toEqual(["fine"]);
  });

  it.each([
    ["broken", '{\n  "mcpServers": {\n    oops\n', /^\.mcp\.json:3: not valid JSON: /],
    ["cut off", '{\n  "mcpServers": {', /^\.mcp\.json:2: not valid JSON: /],
    ["without servers", "[]", /^\.mcp\.json:1: expected \{ "mcpServers"/],
    ["of more than 1 MB", " ".repeat(1024 * 1024 + 1), /^\.mcp\.json:1: is longer than 1 MB/],
  ])("a file that is %s is said, and the other one works", async (_, text, problem) => {
    const { entries, problems } = await reading({ ".ai-legion/mcp.json": servers(good), ".mcp.json": text });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(entries).toHaveLength(1);
  });

  it("a name with terminal controls, or headings, is refused in one harmless line", async () => {
    const { entries, problems } = await reading({
      ".mcp.json": servers({ "a\u001b[2J\n--- X ---": { command: "x" } }),
    });
    expect(entries).toEqual([]);
    expect(problems[0]).toMatch(/^\.mcp\.json:3: server "a\?\[2J --- X ---": expected a name/);
  });

  it("a link is not followed", async () => {
    const project = await createTempProject();
    writeFileSync(join(project, "elsewhere.json"), servers(good));
    symlinkSync(join(project, "elsewhere.json"), join(project, ".mcp.json"));
    const { entries, problems } = await readServers({ project, variables });
    expect({ entries, problems }).toEqual({
      entries: [],
      problems: [".mcp.json:1: is a link; only a file of the project counts"],
    });
  });
});
