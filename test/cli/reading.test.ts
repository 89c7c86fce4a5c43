import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serve } from "../control/serve.ts";
import { createWorld } from "../world.ts";
import { legion } from "./legion.ts";

const READING = [
  ["ps"],
  ["goals", "2"],
  ["notes", "2"],
  ["notes", "2", "a"],
  ["log", "2"],
  ["log", "0"],
  ["inbox"],
  ["prompt", "2", "--at", "4"],
  ["bill"],
  ["doctor"],
];

/** Every file with its time of change and content; a node touches its lock all the time. */
async function snapshot(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = files.map(async (path) => {
    const { mtimeMs } = path.includes("/lock/") ? { mtimeMs: 0 } : await stat(path);
    return `${path} ${mtimeMs} ${await readFile(path, "utf8")}`;
  });
  return [...entries.map(({ name }) => name).sort(), ...(await Promise.all(texts)).sort()];
}

async function busyWorld() {
  const calls = [
    { action: "addGoal", parameters: { goal: "Read" } },
    { action: "writeNote", parameters: { title: "a", content: "b" } },
    { action: "sendMessage", parameters: { targetAgentId: "0", message: "Done" } },
  ];
  const world = await createWorld({ "2": { script: [{ calls }] } });
  await world.say("2", "Work");
  await world.idle();
  return world;
}

it("takes no lock and writes nothing, with a node and without one", async () => {
  const world = await busyWorld();
  const { close } = await serve(world);
  const during = await snapshot(world.project);
  const live = [];
  for (const argv of READING) live.push(await legion(argv, { cwd: world.project }));
  expect(await snapshot(world.project)).toEqual(during);

  await close();
  await world.stop();
  const after = await snapshot(world.project);
  for (const [index, argv] of READING.entries()) {
    const resting = await legion(argv, { cwd: world.project });
    expect(resting).toMatchObject({ exitCode: 0, err: "" });
    if (argv[0] !== "ps" && argv[0] !== "doctor") expect(resting.out).toBe(live[index]!.out);
  }
  expect(await snapshot(world.project)).toEqual(after);
});

it.each(READING.map((argv) => [argv]))("prints %j as one JSON object a line", async (argv) => {
  const world = await busyWorld();
  await world.stop();
  const { exitCode, out } = await legion([...argv, "--json"], { cwd: world.project });
  expect(exitCode).toBe(0);
  for (const line of out.trimEnd().split("\n")) expect(JSON.parse(line)).toEqual(expect.any(Object));
});

it("sends nothing to a terminal that it would act on", async () => {
  const evil = "\u001b]0;title\u0007\u009b2J\u202egood";
  const calls = [
    { action: "addGoal", parameters: { goal: evil } },
    { action: "writeNote", parameters: { title: "a", content: evil } },
    { action: "sendMessage", parameters: { targetAgentId: "0", message: evil } },
  ];
  const world = await createWorld({ "2": { script: [{ text: evil, calls }] } });
  await world.say("2", evil);
  await world.idle();
  for (const argv of READING) {
    const people = await legion(argv, { cwd: world.project, columns: 80 });
    expect(people.out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    const programs = await legion([...argv, "--json"], { cwd: world.project, columns: 80 });
    expect(programs.out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  }
});
