import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { everythingIn } from "../../environment/workspace/trees.ts";
import { createWorld } from "../../world.ts";
import { fill, FOLDER, inMemories, memory, rememberingProject, said } from "./kit.ts";

describe("legion memory, of what cannot be meant", () => {
  it.each([
    ["an order that is none", ["serch", "x"], "did you mean `legion memory search`?"],
    ["an order by the name of what every object has", ["constructor"], "has no order `constructor`"],
    ["no words", ["search"], "expected `legion memory search <words...>`"],
    ["blank words", ["search", " "], "there is nothing to look for"],
    ["a word too many", ["list", "x"], "expected `legion memory list`, and nothing behind it"],
    ["a malformed vault", ["list", "--memory", "../x/y"], "is no memory; one is named <vault>/<memory>"],
    ["a malformed memory", ["list", "--memory", "main"], "`main` is no memory"],
    ["an unknown memory", ["list", "--memory", "main/legoin"], "there is main/legion"],
    [
      "an unknown vault",
      ["list", "--memory", "zzz/x"],
      "there is no memory `zzz/x` here; there is main/legion",
    ],
    ["a malformed number", ["show", "two"], "`two` is no number of an entry"],
    ["number 0", ["show", "0"], "`0` is no number of an entry"],
    ["a number that is not there", ["show", "99"], "no shard of its context; its numbers go up to 8"],
    ["a number of something else", ["show", "4"], "scribe became its keeper"],
    ["a limit of none", ["list", "--limit", "0"], "--limit: expected a number from 1 up"],
    ["a limit of too many", ["list", "--limit", "51"], "--limit: at most 50, not 51"],
    ["a role that is none", ["search", "x", "--role", "boss"], "expected user or assistant"],
    ["a tag that is none", ["search", "x", "--tag", "topic"], "expected name=value, not `topic`"],
    ["a time that is none", ["search", "x", "--since", "yesterday"], "`yesterday` is no time"],
    ["a day that is none", ["search", "x", "--until", "2026-02-30"], "`2026-02-30` is no time"],
    ["a context that nobody makes", ["flush"], "`legion start --scribe` hosts who does"],
    ["an option of another order", ["list", "--role", "user"], "it goes with `legion memory search`"],
    ["an option that is none", ["list", "--rol", "user"], "did you mean --role?"],
    ["a memory for all of them", ["--memory", "main/legion"], "--memory is not for `legion memory`"],
  ])("refuses %s in one line, and writes nothing", async (_, argv, reason) => {
    const cwd = await rememberingProject();
    const before = everythingIn(cwd);
    const { exitCode, err, out } = await memory(cwd, argv);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain(reason);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(everythingIn(cwd)).toEqual(before);
  });

  it("asks which one is meant where there are several and none has the usual name", async () => {
    const cwd = await rememberingProject();
    await fill(cwd, [said(1, "x")], "team/a");
    expect((await memory(cwd, ["list", "--json"])).json).toHaveLength(3);
    const other = await createWorld({});
    for (const id of ["team/a", "team/b"]) await fill(other.project, [said(1, id)], id);
    await other.stop();
    const { err, exitCode } = await memory(other.project, ["list"]);
    expect({ err, exitCode }).toEqual({
      exitCode: 2,
      err: "legion: --memory says which one is meant: team/a, team/b\n",
    });
    expect((await memory(other.project, ["list", "--memory", "team/b", "--json"])).json).toMatchObject([
      { raw: "team/b" },
    ]);
  });

  it("reads without a lock, and writes nothing", async () => {
    const cwd = await rememberingProject();
    const looks = [[], ["list"], ["search", "built"], ["show", "2"], ["context"], ["context", "--all"]];
    // Somebody has it alone.
    await inMemories(cwd, (memories) =>
      memories.change("main/legion", async () => {
        for (const argv of looks) expect(await memory(cwd, argv)).toMatchObject({ exitCode: 0, err: "" });
        return [];
      }),
    );
    const before = everythingIn(cwd);
    for (const argv of looks) await memory(cwd, argv);
    expect(everythingIn(cwd)).toEqual(before);
  });
});

describe("legion memory keep", () => {
  it("hands the memory over, says who kept it, and what counts from then on", async () => {
    const world = await createWorld({ scribe: {}, "2": {} });
    const cwd = world.project;
    await world.stop();
    await fill(cwd, [said(1, "Boats")]);
    expect((await memory(cwd, ["keep", "scribe"])).out).toBe(
      "scribe keeps main/legion from now on; nobody kept it before.\n",
    );
    expect((await memory(cwd, ["keep", "2", "--json"])).json).toEqual([
      { memory: "main/legion", keeper: "2", before: "scribe" },
    ]);
    const log = join(cwd, FOLDER, "log");
    const before = everythingIn(log);
    expect((await memory(cwd, ["keep", "2"])).out).toBe("Agent 2 keeps main/legion already.\n");
    expect(everythingIn(log)).toEqual(before);
    expect((await memory(cwd, ["--json"])).json).toMatchObject([{ keeper: "2" }]);
  });

  it.each([
    ["nobody", 'there is no agent "nobody"; known: 2'],
    ["../x", 'there is no agent "../x"; known: 2'],
    ["0", "0 is you; name an agent"],
  ])("refuses %j, and writes nothing", async (agent, reason) => {
    const world = await createWorld({ "2": {} });
    const cwd = world.project;
    await world.stop();
    await fill(cwd, [said(1, "Boats")]);
    const before = everythingIn(cwd);
    const { exitCode, err } = await memory(cwd, ["keep", agent]);
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: `legion: ${reason}\n` });
    expect(everythingIn(cwd)).toEqual(before);
  });
});
