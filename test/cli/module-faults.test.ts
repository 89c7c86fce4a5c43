// What the author of a module sees of a mistake in it.

import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { createTempProject } from "../temp-project.ts";
import { buildProgram, runToEnd } from "./program.ts";

beforeAll(buildProgram, 120_000);

const AGENT = "---\ndescription: Keeps a diary\nmodules: [core, ./modules/weather.mjs]\n---\n\nKeep it.\n";
const SCRIPT = "- calls: [{ action: look }]\n- calls: [{ action: noop }]\n";

async function start(weather: string, files: Readonly<Record<string, string>> = {}) {
  const cwd = await createTempProject({
    ...files,
    "agents/diary.md": AGENT,
    "modules/weather.mjs": weather,
    "script.yaml": SCRIPT,
  });
  const argv = ["start", "--trust", "--agent", "diary", "--model", "scripted:script.yaml", "--tick", "0"];
  return { cwd, ...(await runToEnd([...argv, "--until-idle", "--task", "Go.", "--json"], { cwd })) };
}

it("a syntax error names the file and the line, with the code around it", async () => {
  const { code, err } = await start(`import { defineModule } from "ai-legion";

export const weather = defineModule({
  name: "weather"
  actions: {},
});
`);
  expect(code).toBe(2);
  expect(err)
    .toBe(`legion: module "./modules/weather.mjs": it could not be loaded: modules/weather.mjs:5: Unexpected identifier 'actions'
  3 | export const weather = defineModule({
  4 |   name: "weather"
> 5 |   actions: {},
  6 | });
  7 |
`);
});

it.each([
  [
    "a syntax error in a file that it imports",
    'import { b } from "../lib/b.mjs";\nexport default b;\n',
    "lib/b.mjs:2: Unexpected token ';'",
  ],
  [
    "an import of what is not there",
    '\nimport { nope } from "node:fs";\nnope();\n',
    "modules/weather.mjs:2: The requested module 'node:fs' does not provide an export named 'nope'",
  ],
  ["what it throws", "const rain = 1;\n\nthrow new Error(`no ${rain}`);\n", "modules/weather.mjs:3: no 1"],
])("the file and the line are named for %s", async (_, weather, words) => {
  const { code, err } = await start(weather, { "lib/b.mjs": "\nexport let b = ;\n" });
  expect(code).toBe(2);
  expect(err.split("\n")[0]).toBe(`legion: module "./modules/weather.mjs": it could not be loaded: ${words}`);
  expect(err).toMatch(/^> \d \| /m);
});

it("an unknown key names the nearest one, and the line of its module", async () => {
  const { code, err } = await start(`import { defineModule } from "ai-legion";

export const weather = defineModule({ name: "weather", pinedMessage: () => "Rain.", actions: {} });
`);
  expect(code).toBe(2);
  expect(err.split("\n")[0]).toBe(
    'legion: module "./modules/weather.mjs": it could not be loaded: modules/weather.mjs:3: ' +
      'defineModule: unknown key "pinedMessage"; did you mean "pinnedMessage"?',
  );
});

it("what an action throws has its own line in the result, and its stack in the diagnostics", async () => {
  const { code, out, cwd } =
    await start(`import { defineAction, defineModule, defineShared, fromOutside, ok } from "ai-legion";

const shared = defineShared(() => ({ clouds: undefined }));
export const weather = defineModule({
  name: "weather",
  actions: {
    look: defineAction({
      description: "Look at the sky", touches: [],
      execute(_, host) {
        return fromOutside(ok(read(shared(host))));
      },
    }),
  },
});

function read(sky) {
  return sky.clouds.length;
}
`);
  expect(code).toBe(0);
  const events = out.trimEnd().split("\n");
  const result = events.map((line) => JSON.parse(line) as Event).find(({ kind }) => kind === "result");
  expect(result).toMatchObject({
    outcome: "error",
    content: "Cannot read properties of undefined (reading 'length') (at modules/weather.mjs:17)",
  });
  const logs = join(cwd, ".ai-legion/logs");
  const [name] = await readdir(logs);
  const lines = (await readFile(join(logs, name!), "utf8")).trimEnd().split("\n");
  const [thrown] = lines
    .map((line) => JSON.parse(line) as { readonly stack?: string })
    .flatMap(({ stack }) => stack ?? []);
  expect(thrown).toMatch(
    /^TypeError: Cannot read [^]*\n {4}at read \(.*weather\.mjs:17:\d+\)\n {4}at Object\.execute/,
  );
});
