// A project that has its scribe ask by rules of its own: nothing of them counts without the person's word.

import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { DoctorFinding } from "../../../../src/cli/doctor/finding.ts";
import type { Event, EventOf } from "../../../../src/domain/event/event.ts";
import type { ModelRequest } from "../../../../src/domain/model.ts";
import { createTempProject } from "../../../temp-project.ts";
import { legion } from "../../legion.ts";

const FILE = ".ai-legion/prompts/memory/summary_prompt.md";
const THEIRS = "- Write as the log of a ship.";
const OURS = "- At most 512 characters";
const END = ["--until-idle", "--tick", "0"];
const LEFT_OUT =
  "legion: left out, as you have not trusted it: have the scribe write summaries by rules of its own " +
  `(${FILE}); \`legion trust\` shows what this project wants, \`legion trust --trust\` grants it\n`;

/** A project with these rules, whose scribe has a model that writes. */
async function sailing() {
  const answer = '- calls: [{ action: add_entry, parameters: { summary: "Said." } }]\n';
  const cwd = await createTempProject({
    [FILE]: `\n${THEIRS}\n`,
    "agents/legionnaire.md": "---\nmodel: offline\nmodules: [core]\n---\n",
    "agents/scribe.md":
      "---\nmodel: scripted:script.yaml\ndirector: scribe\nobserve: all\nmemories: [main/legion]\n---\n",
    "script.yaml": answer.repeat(9),
  });
  const env = { XDG_CONFIG_HOME: await createTempProject() };
  const run = (...args: readonly string[]) => legion(args, { cwd, env });
  const events = async () => (await run("log", "scribe", "--json")).json as readonly Event[];
  return {
    ...{ cwd, run, events },
    start: (...args: readonly string[]) => run("start", "1", "--scribe", "--task", "noop", ...args, ...END),
    /** By what the newest question was asked. */
    async asked(): Promise<string> {
      const prompted = (await events()).findLast(
        (one): one is EventOf<"prompted"> & Event => one.kind === "prompted",
      );
      const shown = await run("prompt", "scribe", "--at", String(prompted!.seq), "--json");
      return (shown.json[0] as ModelRequest).system;
    },
    async recalled(): Promise<readonly string[]> {
      return (await events()).flatMap((one) =>
        one.kind === "recalled" ? [`${one.key}: ${one.content}`] : [],
      );
    },
    async status(): Promise<string | undefined> {
      const lines = (await run("trust", "--json")).json as readonly { what: string; status: string }[];
      return lines.find(({ what }) => what === FILE)?.status;
    },
    async doctor(): Promise<readonly string[]> {
      const findings = (await run("doctor", "--json")).json as readonly DoctorFinding[];
      const about = findings.filter(({ check }) => check.includes("prompts"));
      return about.map(({ status, detail }) => `${status}: ${detail}`);
    },
  };
}

it("a start says in one line that they are not trusted, and ours hold", async () => {
  const { start, asked, recalled, status, doctor } = await sailing();
  const first = await start();
  expect(first).toMatchObject({ exitCode: 0, err: LEFT_OUT });
  expect(await asked()).toContain(OURS);
  expect(await asked()).not.toContain(THEIRS);
  expect(await recalled()).toEqual([]);
  expect(await status()).toBe("wanted");
  expect(await doctor()).toEqual([`warning: ${LEFT_OUT.slice("legion: ".length, -1)}`]);
});

it("once granted they hold at that very start, and at each later one until the file changes or goes", async () => {
  const { start, run, asked, recalled, status, doctor, cwd } = await sailing();
  expect(await start("--trust")).toMatchObject({ exitCode: 0, err: "" });
  expect(await asked()).toContain(`SUMMARY GENERATION RULES:\n${THEIRS}`);
  expect(await recalled()).toEqual([`summary_prompt: ${THEIRS}`]);
  expect(await status()).toBe("granted");
  expect(await doctor()).toEqual(["ok: in place of ours for a scribe: summary_prompt"]);
  expect(await start()).toMatchObject({ exitCode: 0, err: "" });
  expect(await recalled()).toHaveLength(1);

  await writeFile(join(cwd, FILE), "- Obey X.\n");
  expect((await start()).err).toBe(LEFT_OUT);
  expect(await asked()).toContain(OURS);
  expect(await recalled()).toEqual([`summary_prompt: ${THEIRS}`, "summary_prompt: "]);
  expect(await status()).toBe("changed");
  expect((await run("trust", "--trust")).exitCode).toBe(0);
  expect((await start()).err).toBe("");
  expect(await asked()).toContain("- Obey X.");

  await rm(join(cwd, FILE));
  expect((await start()).err).toBe("");
  expect(await asked()).toContain(OURS);
  expect((await recalled()).at(-1)).toBe("summary_prompt: ");
  expect(await status()).toBe("unused");
  expect(await doctor()).toEqual([]);
});

it("a file of nothing but blanks replaces nothing, and wants no word", async () => {
  const { start, asked, status, cwd } = await sailing();
  await writeFile(join(cwd, FILE), " \n\n");
  expect(await start()).toMatchObject({ exitCode: 0, err: "" });
  expect(await asked()).toContain(OURS);
  expect(await status()).toBeUndefined();
});

it("a start without a scribe has no use for them, and asks nothing", async () => {
  const { run, status } = await sailing();
  expect(await run("start", "1", "--task", "noop", ...END)).toMatchObject({ exitCode: 0, err: "" });
  expect(await status()).toBe("wanted");
});

it("`legion prompt scribe` shows at rest by what rules it would ask", async () => {
  const { run } = await sailing();
  const shown = async (): Promise<string> => (await run("prompt", "scribe")).out;
  await run("trust", "--trust");
  // Nothing is said: of no message it is asked.
  await run("start", "1", "--scribe", ...END);
  const granted = await shown();
  expect(granted).toContain("=== SYSTEM ===\nYou are the memory agent of this legion.");
  expect(granted).toContain("ENTRY CAPTURE RULES:\n- Enter the current message, exactly once.");
  expect(granted).toContain(`SUMMARY GENERATION RULES:\n${THEIRS}`);
  expect(granted).toContain("CONTEXT MAINTENANCE RULES:\n- One Markdown document");
  await run("trust", "--forget");
  expect(await shown()).toContain(`SUMMARY GENERATION RULES:\n${OURS}`);
});
