import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { trustedProjects } from "../../../src/storage/folder/person/trust.ts";
import { createTempProject } from "../../temp-project.ts";
import { legion, type Seen } from "../legion.ts";

const MODULE = "export default { name: 'own', actions: {} };";
const CONFIG = `
bus: redis://:secret@elsewhere:1
limits: { steps: none, cost: 2 }
web: { allowPrivate: [localhost], browser: /usr/bin/evil }
policy: { allow: [run make *], deny: [send 2], profile: full }
`;

let home: string;
let project: string;

beforeEach(async () => {
  home = await createTempProject();
  project = await createTempProject({
    ".ai-legion/config.yaml": CONFIG,
    ".env": "OPENAI_API_KEY=sk-1\nOPENAI_BASE_URL=http://u:secret@near:1/v1\n",
    "agents/own.md": "---\nmodules: [./own.mjs]\nlimits: { steps: 501 }\npolicy: { allow: [net a.b] }\n---\n",
    "agents/team.yaml": "agents: { a: { agent: own, limits: { steps: 7 }, policy: { allow: [send *] } } }",
    "own.mjs": MODULE,
  });
});

function run(...args: readonly string[]): Promise<Seen> {
  return legion(args, { cwd: project, env: { XDG_CONFIG_HOME: home } });
}

async function statuses(): Promise<Readonly<Record<string, string>>> {
  const lines = (await run("trust", "--json")).json as readonly { what: string; status: string }[];
  return Object.fromEntries(lines.map(({ what, status }) => [what, status]));
}

const ALL = [
  "code own.mjs",
  ".ai-legion/config.yaml bus",
  ".ai-legion/config.yaml limits.agent.steps",
  ".ai-legion/config.yaml policy.profile",
  ".ai-legion/config.yaml policy.allow.run make *",
  ".ai-legion/config.yaml web.allowPrivate.localhost",
  ".ai-legion/config.yaml web.browser",
  ".env OPENAI_BASE_URL",
  "agents/own.md limits.steps",
  "agents/own.md policy.allow.net a.b",
  "agents/team.yaml agents.a policy.allow.send *",
];

describe("legion trust", () => {
  it("shows in words what a project would have, without any password, and grants nothing by that", async () => {
    const { out, exitCode } = await run("trust");
    expect(exitCode).toBe(0);
    expect(out.split("\n").filter((line) => /^(wanted|granted)/.test(line))).toEqual([
      "wanted   run own.mjs",
      "wanted   join the legion at redis://elsewhere:1/0 (.ai-legion/config.yaml)",
      "wanted   use no limit in place of 500 steps for each agent (.ai-legion/config.yaml)",
      "wanted   let its agents act by the profile full in place of workspace (.ai-legion/config.yaml)",
      "wanted   let its agents do this without asking: run make * (.ai-legion/config.yaml)",
      "wanted   let its agents reach localhost, which is not public (.ai-legion/config.yaml)",
      "wanted   run the browser /usr/bin/evil (.ai-legion/config.yaml)",
      "wanted   set OPENAI_BASE_URL to http://...@near:1/v1 (.env)",
      "wanted   use 501 steps in place of 500 steps for agents of agents/own.md (agents/own.md)",
      "wanted   let agents of agents/own.md do this without asking: net a.b (agents/own.md)",
      "wanted   let agent a of agents/team.yaml do this without asking: send * (agents/team.yaml agents.a)",
    ]);
    expect(await statuses()).toEqual(Object.fromEntries(ALL.map((what) => [what, "wanted"])));
  });

  it("grants each as it is now: another value is wanted anew, alone", async () => {
    expect((await run("trust", "--trust")).exitCode).toBe(0);
    expect(await statuses()).toEqual(Object.fromEntries(ALL.map((what) => [what, "granted"])));
    const text = JSON.stringify([...(await trustedProjects(openPersonFolder({ XDG_CONFIG_HOME: home })))]);
    expect(text).not.toContain("secret");

    await writeFile(join(project, "own.mjs"), `${MODULE} `);
    await writeFile(
      join(project, ".ai-legion/config.yaml"),
      CONFIG.replace(":secret@", ":other@").replace("[localhost]", "[10.0.0.1]"),
    );
    const { "code own.mjs": code, ...others } = await statuses();
    expect(code).toBe("changed");
    expect(others).toMatchObject({
      ".ai-legion/config.yaml bus": "changed",
      ".ai-legion/config.yaml web.allowPrivate.10.0.0.1": "wanted",
      ".ai-legion/config.yaml web.allowPrivate.localhost": "unused",
      ".ai-legion/config.yaml web.browser": "granted",
    });
  });

  it("lists all projects, and forgets one", async () => {
    expect((await run("trust", "--list")).out).toBe("You trust no project yet.\n");
    await run("trust", "--trust");
    expect((await run("trust", "--list")).out).toBe(`${project}  11 grants, 0 answers\n`);
    expect((await run("trust", "--list", "--json")).json).toMatchObject([{ project, answers: {} }]);
    expect((await run("trust", "--forget")).out).toBe(`Forgotten: ${project}\n`);
    expect((await run("trust", "--forget")).out).toBe(`Nothing is known of ${project}.\n`);
    expect((await run("trust", "--forget", "--json")).json).toEqual([{ project, forgotten: false }]);
    expect(await statuses()).toMatchObject({ "code own.mjs": "wanted" });
  });

  it("keeps what was answered once and for all, shows it, and forgets it with the rest", async () => {
    const at = new Date(0).toISOString();
    const answers = { "net example.com": { at, agent: "2" } };
    await mkdir(join(home, "ai-legion"), { mode: 0o700 });
    const trust = { projects: { [project]: { grants: {}, answers } }, later: 1 };
    await writeFile(join(home, "ai-legion/trust.json"), JSON.stringify(trust), { mode: 0o600 });
    await run("trust", "--trust");
    expect((await run("trust")).out).toContain("answered net example.com\n");
    expect((await run("trust", "--list", "--json")).json).toMatchObject([{ project, answers }]);
    await run("trust", "--forget");
    expect((await run("trust", "--list")).out).toBe("You trust no project yet.\n");
  });

  it("has nothing to show of a project that wants nothing", async () => {
    await rm(join(project, "agents"), { recursive: true });
    await rm(join(project, ".env"));
    await writeFile(
      join(project, ".ai-legion/config.yaml"),
      "limits: { steps: 3 }\npolicy: { deny: [send 2] }",
    );
    expect((await run("trust")).out).toBe("Nothing in this project needs your trust.\n");
  });

  it.each(["{", "[]", `{"projects":{"/x":{"grants":{"a":1}}}}`, `{"projects":7}`])(
    "says in one line that its record is broken: %j",
    async (text) => {
      await mkdir(join(home, "ai-legion"), { mode: 0o700 });
      await writeFile(join(home, "ai-legion/trust.json"), text, { mode: 0o600 });
      const err = `legion: ${home}/ai-legion/trust.json is no record of trust; mend it, or remove it and trust your projects anew\n`;
      for (const args of [["trust"], ["trust", "--list"], ["trust", "--forget"], ["start"]])
        expect(await run(...args)).toMatchObject({ exitCode: 2, err });
    },
  );
});
