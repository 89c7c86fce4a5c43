import { beforeEach, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { legion, type Seen } from "../../legion.ts";

const agent = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: Use it: now.\n${more}---\nYou help.\n`;

let project: string;
let home: string;

beforeEach(async () => {
  project = await createTempProject({
    ".claude/agents/reviewer.md": agent("Code Reviewer", "tools: Read, Grep\nmodel: opus\nhooks: {}\n"),
    ".claude/agents/deep/all.md": agent("all", "disallowedTools: Write\n"),
    ".claude/agents/README.md": "# Ours",
  });
  home = await createTempProject({ ".claude/agents/poet.md": agent("poet", "tools: Read, TodoWrite\n") });
});

function start(...args: readonly string[]): Promise<Seen> {
  const command = ["start", "--model", "offline", "--until-idle", "--tick", "0", ...args];
  return legion(command, { cwd: project, env: { HOME: home } });
}

async function ids(): Promise<readonly string[]> {
  const { json } = await legion(["ps", "--json"], { cwd: project, env: { HOME: home } });
  return json.map((line) => (line as { id: string }).id);
}

it("hosts one by its name, of the project or of the home", async () => {
  expect(await start("--agent", "Code Reviewer", "--agents", "r")).toMatchObject({ exitCode: 0 });
  expect(await start("--agent", "poet", "--agents", "p")).toMatchObject({ exitCode: 0, err: "" });
  expect(await ids()).toEqual(["p", "r"]);
});

it("hosts those of .claude as a team, and the same again", async () => {
  const { exitCode, out, err } = await start("--from", ".claude", "--task", "noop");
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out).toContain("Not all holds that .claude/agents/reviewer.md says; `legion agents` lists it.");
  expect(await ids()).toEqual(["agent-all", "code-reviewer"]);
  expect(await start()).toMatchObject({ exitCode: 0, err: "" });
  expect(await start("--from", "./.claude/", "--agents", "code-reviewer")).toMatchObject({ exitCode: 0 });
});

it.each(["~/.claude", "HOME/.claude"])("hosts those of the home: %s", async (from) => {
  expect(await start("--from", from.replace("HOME", home))).toMatchObject({ exitCode: 0, err: "" });
  expect(await ids()).toEqual(["poet"]);
});

it.each([
  [["--from", ".claude", "--team", "workshop"], /--from and --team both say which team/],
  [["--from", ".claude", "3"], /leave out the number/],
  [["--from", ".cursor"], /there is no/],
])("refuses %j in one line", async (args, reason) => {
  const { exitCode, err } = await start(...args);
  expect(exitCode, err).toBe(2);
  expect(err).toMatch(/^legion: [^\n]+\n$/);
  expect(err).toMatch(reason);
});

it("says that there are none", async () => {
  project = await createTempProject();
  expect(await start("--from", ".claude")).toMatchObject({
    exitCode: 2,
    err: "legion: there are no agents in .claude/agents\n",
  });
});
