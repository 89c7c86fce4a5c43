import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { system } from "../../../modules/system/index.ts";
import { readChanges } from "../../../src/control/reading/changes.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { toLine } from "../../../src/storage/folder/line.ts";
import { NOOP } from "../../workshop.ts";
import { bubblewrapIsThere } from "../../environment/opened.ts";
import { createRepositoryYard, run } from "../../legion/undo/repository-yard.ts";
import { createWorld } from "../../world.ts";

const act = (action: string, parameters: Readonly<Record<string, unknown>>) => ({
  calls: [{ action, parameters }],
});

it("which files agents changed is told newest first, with whom and for what, and no command is made up", async () => {
  const script = [
    act("writeFile", { path: "a.txt", content: "one\n" }),
    act("editFile", { path: "a.txt", oldText: "one", newText: "two" }),
    act("moveFile", { sourcePath: "a.txt", destinationPath: "b.txt" }),
    act("deleteFile", { path: "b.txt" }),
    act("executeCommand", { command: "touch c.txt" }),
    NOOP,
  ];
  const world = await createWorld({ "1": { script, modules: [core, system] } });
  const [cause] = await world.say("1", "Work on a file");
  await world.idle();
  const { changes } = await readChanges(createFileReader(world.project));
  expect(changes.map(({ path, does, from }) => [does, path, from])).toEqual([
    ["deleted", "b.txt", undefined],
    ["moved", "b.txt", "a.txt"],
    ["changed", "a.txt", undefined],
    ["created", "a.txt", undefined],
  ]);
  expect(new Set(changes.map((change) => change.cause))).toEqual(new Set([cause]));
  expect(changes[0]).toMatchObject({ agent: "1", name: "Agent 1", opening: "Work on a file" });
  const results = await world.kinds("1", "result");
  expect(results.find(({ seq }) => seq === changes[2]!.seq)!.details).toMatchObject({
    diff: expect.stringContaining("+two") as unknown,
  });
});

it("which files agents changed is told also where the person's own log cannot be read", async () => {
  const script = [act("writeFile", { path: "a.txt", content: "one\n" }), NOOP];
  const world = await createWorld({ "1": { script, modules: [core, system] } });
  await world.say("1", "Work on a file");
  await world.idle();
  await world.stop();
  const reader = createFileReader(world.project);
  const stamp = { seq: 1_000, epoch: 99_999_999, at: new Date(0).toISOString() };
  const opening = { ...stamp, kind: "opened", format: 99, log: "of a newer version", seals: {} };
  await writeFile(join(reader.paths.agent("0"), "log/99999999-000.jsonl"), toLine(opening));
  await expect(reader.digest("0")).rejects.toThrow("newer version");
  expect((await readChanges(reader)).changes.map(({ path }) => path)).toEqual(["a.txt"]);
});

it.runIf(bubblewrapIsThere)(
  "what commands changed is told beside what file actions did, with the command, and how much is not listed",
  async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n" },
      {
        1: [
          act("writeFile", { path: "b.txt", content: "b\n" }),
          { calls: [run("sed -i s/a/A/ a.txt; rm b.txt")] },
          { calls: [run("mkdir n; cd n; seq 103 | xargs touch")] },
          { calls: [run("git commit -qam two")] },
          NOOP,
        ],
      },
    );
    const [cause] = await world.say("1", "Go.");
    await world.idle();
    const { changes } = await readChanges(createFileReader(world.project));
    const results = await world.kinds("1", "result");
    const { seq } = results.find(({ changed }) => changed?.files.length === 2)!;
    expect(changes).toHaveLength(100 + 2 + 1);
    expect(changes.slice(0, 100).flatMap(({ more = [] }) => more)).toEqual([3]);
    const known = { agent: "1", cause, opening: "Go.", seq, command: "sed -i s/a/A/ a.txt; rm b.txt" };
    expect(changes.slice(100)).toMatchObject([
      { path: "a.txt", does: "changed", ...known },
      { path: "b.txt", does: "deleted", ...known },
      { path: "b.txt", does: "created" },
    ]);
    expect(changes.at(-1)).not.toHaveProperty("command");
  },
);
