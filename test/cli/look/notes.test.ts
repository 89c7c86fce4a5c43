import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createWorld } from "../../world.ts";
import { legion } from "../legion.ts";

const write = (title: string, content: string) => ({ action: "writeNote", parameters: { title, content } });

async function worldWithNotes() {
  const long = "a: very/long title ".repeat(20).trim();
  const calls = [
    write("plan", "first this\nthen that"),
    write("Plan B", "x\u001b[31mred"),
    write(long, "deep"),
  ];
  const world = await createWorld({ "2": { script: [{ calls }] } });
  await world.say("2", "Work");
  await world.idle();
  await world.stop();
  return { world, long };
}

it("lists titles as the agent wrote them, also those that no file can be called by", async () => {
  const { world, long } = await worldWithNotes();
  const { out, exitCode } = await legion(["notes", "2"], { cwd: world.project });
  expect(exitCode).toBe(0);
  expect(out).toBe(`plan\nPlan B\n${long}\n`);
  const { json } = await legion(["notes", "2", "--json"], { cwd: world.project });
  expect(json).toEqual([{ title: "plan" }, { title: "Plan B" }, { title: long }]);
});

it("prints one note", async () => {
  const { world, long } = await worldWithNotes();
  expect((await legion(["notes", "2", "plan"], { cwd: world.project })).out).toBe("first this\nthen that\n");
  expect((await legion(["notes", "2", "PLAN"], { cwd: world.project })).out).toBe("first this\nthen that\n");
  const { json } = await legion(["notes", "2", long, "--json"], { cwd: world.project });
  expect(json).toEqual([{ title: long, content: "deep" }]);
});

it("keeps a note as it is for a file, and makes it harmless for a terminal", async () => {
  const { world } = await worldWithNotes();
  const asked = ["notes", "2", "Plan", "B"];
  expect((await legion(asked, { cwd: world.project })).out).toBe("x\u001b[31mred\n");
  expect((await legion(asked, { cwd: world.project, columns: 80 })).out).toBe("xred\n");
});

it("shows a note that a person put there or changed", async () => {
  const { world } = await worldWithNotes();
  const folder = join(world.project, ".ai-legion/agents/2/notes");
  await writeFile(join(folder, "mine.txt"), "by hand");
  await writeFile(join(folder, "plan.txt"), "changed");
  const { out } = await legion(["notes", "2"], { cwd: world.project });
  expect(out.split("\n")).toEqual(expect.arrayContaining(["mine", "plan"]));
  expect((await legion(["notes", "2", "plan"], { cwd: world.project })).out).toBe("changed\n");
});

it("refuses a title that is not there, with the nearest one", async () => {
  const { world } = await worldWithNotes();
  const { exitCode, err } = await legion(["notes", "2", "plam"], { cwd: world.project });
  expect({ exitCode, err }).toEqual({
    exitCode: 2,
    err: 'legion: Agent 2 has no note "plam"; did you mean "plan"?\n',
  });
});
