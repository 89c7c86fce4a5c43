// Agents in bash are looked at when they are planned: before anything is written.

import { describe, expect, it } from "vitest";
import { openTemplates } from "../../../src/base/template/templates.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { planRoster, type Who } from "../../../src/legion/roster.ts";
import { startTemplateWorker } from "../../base/template/start-worker.ts";
import { ownHome } from "../../own-config-home.ts";
import { createTempProject } from "../../temp-project.ts";

const FRONT = `protocol: bash
templates:
  instance: "{{ task }}"
  observation: "{{ output.output }}"
  formatError: "{{ error }}"
`;

async function plan(files: Readonly<Record<string, string>>, who: Who) {
  const projectDir = await createTempProject(files);
  const config = await loadConfig({ projectDir, env: ownHome(), flags: { model: "offline" } });
  const ended: Promise<unknown>[] = [];
  const templates = () =>
    openTemplates({
      start(options) {
        const worker = startTemplateWorker(options);
        ended.push(new Promise((resolve) => worker.once("exit", resolve)));
        return worker;
      },
    });
  const roster = planRoster(who, { config, places: { projectDir, packageDir: projectDir }, templates });
  return { roster, ended };
}

const define = (front: string, body = "You mend.") => ({ "agents/it.md": `---\n${front}---\n\n${body}\n` });
const NAMED: Who = { kind: "given", members: [{ id: "1", agent: "it", limits: {} }] };

describe("an agent in bash", () => {
  it.each([
    [define(FRONT, "You\n{% if %}mend."), "agents/it.md: the text below the front matter: line 2: "],
    [define(FRONT.replace("{{ error }}", "{{ error")), "agents/it.md: templates.formatError: line 1: "],
    [define(`${FRONT}actionRegex: "(x"\n`), "agents/it.md: actionRegex: "],
  ])("is refused for what is wrong with its templates, with the place: %#", async (files, place) => {
    const { roster, ended } = await plan(files, NAMED);
    await expect(roster).rejects.toMatchObject({ code: "CONFIG", message: expect.stringContaining(place) });
    await expect(roster).rejects.not.toThrow("\n");
    expect(ended).toHaveLength(1);
    await Promise.all(ended);
  });

  it("is looked at once for all of its kind, and nothing is left running", async () => {
    const members = ["1", "2", "3"].map((id) => ({ id, agent: "it", limits: {} }));
    const { roster, ended } = await plan(define(FRONT), { kind: "given", members });
    expect((await roster).roles).toHaveLength(3);
    // Said once, too: its model has no word for a command.
    expect((await roster).remarks).toEqual([
      "`offline` understands plain commands, and cannot act in bash: --model names a model that can, --agent assistant needs none.",
    ]);
    expect(ended).toHaveLength(1);
    await Promise.all(ended);
  });

  it.each([
    [{ modules: ["notes", "bash", "goals"] }, "leave out `notes` and `goals`"],
    [{ actions: ["addGoal"] }, "leave out `addGoal`"],
    [{ skills: "all" }, "leave out `skills`"],
  ] as const)("has no other modules: %j", async (said, way) => {
    const who: Who = { kind: "given", members: [{ id: "1", agent: "it", limits: {}, ...said }] };
    const { roster, ended } = await plan(define(FRONT), who);
    const message = `agent "it" acts in bash alone (\`protocol: bash\`): ${way}`;
    await expect(roster).rejects.toMatchObject({ code: "CONFIG", message });
    expect(ended).toEqual([]);
  });

  it("alone has its module", async () => {
    const { roster } = await plan(define("modules: [core, bash]\n"), NAMED);
    await expect(roster).rejects.toThrow('agent "it" has the module bash, which comes with `protocol: bash`');
  });
});
