import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Legion } from "../../src/index.ts";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { legion as command } from "../cli/legion.ts";
import { createTempProject } from "../temp-project.ts";
import { openProgram } from "./programs.ts";

const saying = (text: string) => createScriptedModel([text]);

describe("a session of a program", () => {
  it("has a past of its own, goes on by its name or as the newest, and is no part of the project's legion", async () => {
    const project = await createTempProject();
    const first = await openProgram({ project, session: "garden", model: saying("Beans.") });
    expect(first.session).toBe("garden");
    await (await first.spawn()).prompt("What grows?");
    await first.stop();
    const other = await openProgram({ project, session: "new", model: saying("Hm.") });
    const stranger = await other.spawn();
    expect(stranger.messages()).toEqual([]);
    await stranger.prompt("Anybody?");
    await other.stop();

    const again = await openProgram({ project, session: "newest", model: saying("Peas.") });
    expect(again.session).toBe(other.session);
    await again.stop();
    const garden = await openProgram({ project, session: "garden", model: saying("Peas.") });
    const gardener = await garden.spawn();
    expect(gardener.messages()).toHaveLength(2);
    expect((await command(["ps", "--json"], { cwd: project })).json).toEqual([]);
    const ps = await command(["ps", "--json", "--run", "garden"], { cwd: project });
    expect(ps.json).toMatchObject([{ id: "1", state: "idle" }]);
  });

  it.each([
    ["an empty name", { session: "" }, /session/],
    ["a name that leads elsewhere", { session: "../up" }, /no name for a session/],
    ["the newest of none", { session: "newest" }, /no run or session/],
    ["one in memory", { session: "a", store: "memory" }, /leave out store or session/],
  ] as const)("is not to be had with %s", async (_, options, message) => {
    const project = await createTempProject();
    const refused = { code: "USAGE", message: expect.stringMatching(message) };
    await expect(Legion.open({ project, ...options })).rejects.toMatchObject(refused);
    expect(await readdir(project)).toEqual([]);
  });

  it("is open in one process at a time", async () => {
    const project = await createTempProject();
    await openProgram({ project, session: "garden" });
    await expect(Legion.open({ project, session: "garden" })).rejects.toMatchObject({ code: "LOCKED" });
    await openProgram({ project });
  });
});

describe("a legion in memory", () => {
  it("is one of many in its project, also beside the one that is kept there, and leaves no past", async () => {
    const project = await createTempProject();
    const kept = await openProgram({ project, model: saying("kept") });
    const memory = await Promise.all(
      ["a", "b"].map((text) => openProgram({ project, store: "memory", model: saying(text) })),
    );
    const agents = await Promise.all([kept, ...memory].map((legion) => legion.spawn()));
    const answers = await Promise.all(agents.map((agent) => agent.prompt("Who?")));
    expect(answers.map(({ text }) => text)).toEqual(["kept", "a", "b"]);
    await Promise.all([kept, ...memory].map((legion) => legion.stop()));
  });

  it("keeps no log, no lock and no socket", async () => {
    const project = await createTempProject();
    const legion = await openProgram({ project, store: "memory", model: saying("Hello.") });
    await (await legion.spawn()).prompt("Hi.");
    for (const path of ["agents", "lock", "legion.sock"])
      await expect(access(join(project, ".ai-legion", path))).rejects.toThrow();
  });
});
