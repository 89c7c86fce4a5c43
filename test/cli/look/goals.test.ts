import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createWorld } from "../../world.ts";
import { legion } from "../legion.ts";

const add = (goal: string) => ({ action: "addGoal", parameters: { goal } });
const complete = { action: "completeGoal", parameters: { goalNumber: 1 } };

async function worldWithGoals() {
  const script = [{ calls: [add("Read"), add("Write"), complete] }];
  const world = await createWorld({ "1": {}, "2": { script } });
  await world.say("2", "Work");
  await world.idle();
  return { world, file: join(world.project, ".ai-legion/agents/2/goals.json") };
}

it("prints the object of goals.json, while a node runs and after it", async () => {
  const { world, file } = await worldWithGoals();
  const goals = [
    { text: "Read", complete: true },
    { text: "Write", complete: false },
  ];
  const during = await legion(["goals", "2", "--json"], { cwd: world.project });
  await world.stop();
  const after = await legion(["goals", "2", "--json"], { cwd: world.project });
  expect(during).toMatchObject({ exitCode: 0, json: [{ goals }] });
  expect(after.json).toEqual([{ goals }]);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ goals });
});

it("shows people a list with numbers", async () => {
  const { world } = await worldWithGoals();
  const { out } = await legion(["goals", "2"], { cwd: world.project });
  expect(out).toBe("1 [x] Read\n2 [ ] Write\n");
  expect((await legion(["goals", "1"], { cwd: world.project })).out).toBe("Agent 1 has no goals.\n");
  expect((await legion(["goals", "1", "--json"], { cwd: world.project })).json).toEqual([{ goals: [] }]);
});

it("shows what a person wrote into the file, and changes nothing", async () => {
  const { world, file } = await worldWithGoals();
  await world.stop();
  const text = '{"goals":[{"text":"Rest\\u001b[2J\\nwell"}, 7, {"text":3}]}';
  await writeFile(file, text);
  const { out } = await legion(["goals", "2"], { cwd: world.project });
  expect(out).toBe('1 [ ] Rest well\n2 [?] 7\n3 [?] {"text":3}\n');
  expect(await readFile(file, "utf8")).toBe(text);

  await rm(file);
  expect((await legion(["goals", "2"], { cwd: world.project })).out).toBe("Agent 2 has no goals.\n");
});

it("goes by the log where a crash left the file one commit behind", async () => {
  const { world, file } = await worldWithGoals();
  await world.stop();
  const log = join(world.project, ".ai-legion/agents/2/log/00000001-000.jsonl");
  const lines = (await readFile(log, "utf8")).split(/(?<=\n)/);
  const last = lines.findLastIndex((line) => line.includes("Goal marked complete"));
  await writeFile(log, lines.slice(0, last + 1).join(""));
  const goals = ["Read", "Write"].map((text) => ({ text, complete: false }));
  await writeFile(file, `${JSON.stringify({ goals }, null, 2)}\n`);

  const { out } = await legion(["goals", "2"], { cwd: world.project });
  expect(out).toBe("1 [x] Read\n2 [ ] Write\n");
});

it.each([
  ["9", 'there is no agent "9"; known: 1, 2'],
  ["0", "0 is you; name an agent"],
  ["../2", 'there is no agent "../2"; known: 1, 2'],
])("refuses agent %s", async (id, text) => {
  const { world } = await worldWithGoals();
  const { exitCode, err, out } = await legion(["goals", id], { cwd: world.project });
  expect({ exitCode, err, out }).toEqual({ exitCode: 2, err: `legion: ${text}\n`, out: "" });
});
