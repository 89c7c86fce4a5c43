import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { serverGrants } from "../../../src/config/mcp/servers.ts";
import { NO_TRUST } from "../../../src/config/grants/grant.ts";
import { createTempProject } from "../../temp-project.ts";

const agent = (name: string, servers: string): string =>
  `---\nname: ${name}\ndescription: b\nmcpServers:\n${servers}\n---\nYou help.\n`;

async function read(files: Readonly<Record<string, string>>, atHome: Readonly<Record<string, string>> = {}) {
  const [projectDir, home] = [await createTempProject(files), await createTempProject(atHome)];
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), KEY: "of-the-tickets" };
  const config = await loadConfig({ projectDir, env, flags: {} });
  const { mcp } = config.modules;
  return { projectDir, config, mcp, ...(await mcp.servers()) };
}

describe("MCP servers in the file of an agent", () => {
  it("are entries of that agent alone, behind those of mcp.json, those at home last", async () => {
    const { entries, names, problems, projectDir } = await read(
      {
        ".mcp.json": JSON.stringify({ mcpServers: { files: { command: "files" } } }),
        ".claude/agents/a.md": agent(
          "a",
          "  - files\n  - db:\n      command: ./db\n  - off: { command: x, disabled: true }",
        ),
      },
      { ".claude/agents/b.md": agent("b", '  "wiki":\n    url: https://wiki.test/mcp') },
    );
    expect(problems).toEqual([]);
    expect(names).toEqual(["files", "db", "off", "wiki"]);
    expect(entries.map(({ name, place, only }) => [name, place, only])).toEqual([
      ["files", ".mcp.json:1", undefined],
      ["db", ".claude/agents/a.md:6", [".claude/agents/a.md"]],
      ["wiki", "~/.claude/agents/b.md:5", ["~/.claude/agents/b.md"]],
    ]);
    expect(entries[1]).toMatchObject({ way: { kind: "stdio", command: "./db", cwd: projectDir } });
  });

  it("want a person's word where such an agent is started, and what they name of keys is hidden", async () => {
    const { mcp, config } = await read({
      ".claude/agents/a.md": agent("a", "  - db: { command: ./db, env: { TOKEN: '${KEY}' } }"),
    });
    const wanted = async (file?: string) =>
      (await serverGrants(mcp, NO_TRUST, [{ names: "all", file }])).map(({ what, by, isGranted }) => [
        what,
        by,
        isGranted,
      ]);
    expect(await wanted(".claude/agents/a.md")).toEqual([["mcp db", ".claude/agents/a.md:5", false]]);
    expect(await wanted(".claude/agents/b.md")).toEqual([]);
    expect(await wanted()).toEqual([]);
    expect(config.secrets()).toContainEqual({ name: "TOKEN", value: "of-the-tickets" });
  });

  it("are one where several agents have the same; of two others with one name the first counts, and that is said", async () => {
    const db = (command: string) => `  - db: { command: ${command} }`;
    const { entries, problems } = await read({
      ".mcp.json": JSON.stringify({ mcpServers: { files: { command: "files" } } }),
      ".claude/agents/a.md": agent("a", db("./db")),
      ".claude/agents/b.md": agent("b", db("./db")),
      ".claude/agents/c.md": agent("c", db("./other")),
      ".claude/agents/d.md": agent("d", "  - files: { command: mine }"),
      ".claude/agents/e.md": agent("e", "  - files: { command: files }"),
    });
    expect(entries.map(({ name, only }) => [name, only])).toEqual([
      ["files", undefined],
      ["db", [".claude/agents/a.md", ".claude/agents/b.md"]],
    ]);
    const ends = "has another of that name, which counts; give one of them another name";
    expect(problems).toEqual([
      `.claude/agents/c.md:5: server "db": .claude/agents/a.md:5 ${ends}`,
      `.claude/agents/d.md:5: server "files": .mcp.json:1 ${ends}`,
    ]);
  });

  describe("hostile: MCP", () => {
    it.each([
      [
        "neither command nor url",
        "  - db: { args: [x] }",
        '.claude/agents/a.md:5: server "db": "command" or "url" is missing',
      ],
      [
        "a variable that is not set",
        "  - db: { command: '${NONE}' }",
        /a\.md:5: server "db": the variable NONE is not set/,
      ],
      [
        "a name of a terminal's escapes",
        '  - "\\e[31m": { command: x }',
        /a\.md:4: server "\?\[31m": expected a name of letters/,
      ],
      ["itself in it", "  - db: &db { command: x, self: *db }", /a\.md:5: server "db": .*circular/],
      [
        "a name of an object",
        "  - __proto__: { command: x }",
        /a\.md:5: server "__proto__": expected a name/,
      ],
      [
        "too many",
        `  ${Array.from({ length: 90 }, (_, n) => `s${n}: { command: x }`).join("\n  ")}`,
        /more than 64 servers/,
      ],
    ])("%s is one line with file and line, and the rest works", async (_, servers, problem) => {
      const { problems, entries } = await read({
        ".mcp.json": JSON.stringify({ mcpServers: { files: { command: "files" } } }),
        ".claude/agents/a.md": agent("a", servers),
      });
      expect(problems).toEqual([expect.stringMatching(problem)]);
      expect(entries[0]?.name).toBe("files");
    });

    it("a file that cannot be read has none, and stops no command", async () => {
      const { projectDir, mcp } = await read({ ".claude/agents/a.md": agent("a", "  - db: { command: x }") });
      await writeFile(join(projectDir, ".claude/agents/a.md"), Buffer.from([0x2d, 0xff]));
      await writeFile(join(projectDir, ".claude/agents/b.md"), agent("b", "  - wiki: { command: y }"));
      expect((await mcp.servers()).entries.map(({ name }) => name)).toEqual(["wiki"]);
    });
  });
});
