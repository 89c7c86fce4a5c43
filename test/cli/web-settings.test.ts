import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTempProject } from "../temp-project.ts";
import { legion } from "./legion.ts";

const SHOW = `
import { writeFileSync } from "node:fs";
const instructions = ({ settings }) =>
  writeFileSync(new URL("seen.json", import.meta.url), JSON.stringify([settings, settings.keys()]));
export default { name: "web", instructions, actions: {} };
`;

it("gives the module web the search that was chosen, with its keys and no others, behind a function", async () => {
  const cwd = await createTempProject({
    "agents/legionnaire.md": "---\nmodules: [core, ./web.mjs]\n---\n",
    "web.mjs": SHOW,
    "script.yaml": "- Done.",
    ".ai-legion/config.yaml": "web: { search: { provider: brave } }",
    ".env": "BRAVE_API_KEY=b-key",
  });
  const env = { TAVILY_API_KEY: "t-key", OPENAI_API_KEY: "o-key" };
  const order = [
    "start",
    "--trust",
    "--model",
    "scripted:script.yaml",
    "--tick",
    "0",
    "--task",
    "x",
    "--until-idle",
  ];
  expect(await legion(order, { cwd, env })).toMatchObject({ exitCode: 0, err: "" });
  expect(JSON.parse(await readFile(join(cwd, "seen.json"), "utf8"))).toEqual([
    {
      allowPrivate: [],
      search: { provider: "brave", why: "Brave Search: BRAVE_API_KEY is set in .env" },
    },
    { BRAVE_API_KEY: "b-key" },
  ]);
});
