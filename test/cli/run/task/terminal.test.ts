import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { temporaryFolder } from "../../../world.ts";
import { legion } from "../../legion.ts";
import { hasScript, sitDown } from "../../console/session.ts";
import { buildProgram } from "../../program.ts";
import { HELP, projectWith, runsIn } from "./project.ts";

const SCRIPT = `- calls: [{ action: writeFile, parameters: { path: a.txt, content: a } }]
- Written.
`;

describe.skipIf(!hasScript)("legion run at a terminal", () => {
  beforeAll(buildProgram, 120_000);

  it("asks in one place, takes the answer there, and says below what it is at", async () => {
    const cwd = await projectWith(SCRIPT);
    const env = { XDG_CONFIG_HOME: await temporaryFolder() };
    const argv = `run ${HELP.join(" ")} --approvals wait --mode usual --policy "ask write **" "write it"`;
    const at = sitDown(argv, { cwd, env, columns: 60 });
    await at.sees(/^y: once · a: /);
    const asking = at.rows().filter((row) => /asks 1\.\d+: may I call writeFile/.test(row));
    expect(asking).toHaveLength(1);
    await at.sees(/^Agent 1 {2}asking /);
    at.type("y\r");
    expect(await at.ended).toBe(0);
    expect(at.rows().filter((row) => /Written\./.test(row))).toHaveLength(1);
    expect(at.rows().join("")).toMatch(/Submitted · 2 steps · free · \S+ · \S+trajectory.json$/);
  });

  const place = async (script: string) => ({
    cwd: await projectWith(script),
    env: { XDG_CONFIG_HOME: await temporaryFolder() },
    columns: 60,
  });
  const said = async ({ cwd }: { readonly cwd: string }) => {
    const [name = ""] = await runsIn(cwd);
    const { json } = await legion(["log", "1", "--json", "--run", name], { cwd });
    return json.flatMap((event) => {
      const { message } = event as { readonly message?: { readonly content: string } };
      return message ? [message.content] : [];
    });
  };

  it.each([
    ["an empty line", "\r"],
    ["the end of the input", "\u0004"],
  ])("asks for the task, of several lines, up to %s", async (_, end) => {
    const here = await place("- Done.\n");
    const at = sitDown(`run ${HELP.join(" ")}`, here);
    await at.sees(/^What shall be done\?/);
    at.type("mend it\r");
    at.type("\u001b[200~and\n\nthat\u001b[201~\r");
    await at.sees(/pasted #1: 3 lines/);
    at.type(end);
    expect(await at.ended).toBe(0);
    expect(await said(here)).toEqual(["mend it\nand\n\nthat"]);
  });

  it("begins nothing where the person leaves", async () => {
    const here = await place("- Done.\n");
    const at = sitDown(`run ${HELP.join(" ")}`, here);
    await at.sees(/^What shall be done\?/);
    at.type("mend it\r\u0003");
    expect(await at.ended).toBe(130);
    expect(await runsIn(here.cwd)).toEqual([]);
  });

  it("asks for more where a limit is reached, and goes on in the same run", async () => {
    const note = "- calls: [{ action: writeNote, parameters: { title: plan, content: walk } }]\n";
    const here = await place(`${note}${note}`);
    const at = sitDown(`run ${HELP.join(" ")} --limits steps=1 "note it"`, here);
    await at.sees(/^More for this run/);
    await writeFile(join(here.cwd, "script.yaml"), "- Noted.\n");
    at.type("steps=+many\r");
    await at.sees(/is no limit/);
    at.type("steps=+5\r");
    expect(await at.ended).toBe(0);
    expect(at.rows().join("")).toMatch(/Submitted · 2 steps · free · \S+ · \S+$/);
    expect(await said(here)).toEqual(["note it"]);
    expect(await runsIn(here.cwd)).toHaveLength(1);
  });

  it.each([
    ["--agent helper --yolo", "executeCommand"],
    ["--agent helper --mode yolo", "executeCommand"],
    ["--config mini.yaml --config agent.mode=yolo", "bash"],
  ])(
    "keeps the mode that was said while it ran, begun with %s, where it goes on with more",
    async (typed, action) => {
      const runs = (command: string) =>
        `- calls: [{ action: ${action}, parameters: { command: "${command}" } }]\n`;
      const here = await place(runs("until test -e go; do sleep 0.02; done") + runs("echo first"));
      const at = (file: string) => join(here.cwd, file);
      await writeFile(at("mini.yaml"), 'agent: { system_template: S, instance_template: "{{ task }}" }\n');
      const person = sitDown(`run ${typed} --model scripted:script.yaml --limits steps=2 "go"`, here);
      await person.sees(/until test -e go/);
      person.type("/c\r");
      await person.sees(/mode confirm/);
      await writeFile(at("go"), "");
      await person.sees(/^Enter runs it/);
      person.type("\r");
      await person.sees(/^More for this run/);
      await writeFile(at("script.yaml"), runs("touch unasked"));
      person.type("steps=+1\r");
      await person.sees(/touch unasked/);
      await person.sees(/^Enter runs it/);
      expect(existsSync(at("unasked"))).toBe(false);
    },
  );

  it("asks for no more where the limit is the person's own, over all projects", async () => {
    const config = await createTempProject({ "ai-legion/config.yaml": "limits: { day: { steps: 1 } }\n" });
    const here = { ...(await place(SCRIPT)), env: { XDG_CONFIG_HOME: config } };
    const at = sitDown(`run ${HELP.join(" ")} "note it"`, here);
    expect(await at.ended).toBe(1);
    expect(at.rows().join("")).toMatch(/or once you raise that limit ?there/);
  });

  it("ends at its limit where the person gives it no more", async () => {
    const here = await place(
      "- calls: [{ action: writeNote, parameters: { title: plan, content: walk } }]\n",
    );
    const at = sitDown(`run ${HELP.join(" ")} --limits steps=1 "note it"`, here);
    await at.sees(/^More for this run/);
    at.type("\r");
    expect(await at.ended).toBe(1);
  });
});
