// What a report says of files once a person took changes back.

import { describe, expect, it } from "vitest";
import { readChanges } from "../../../../src/control/reading/changes.ts";
import { reportSchema } from "../../../../src/legion/report/report.ts";
import { createFileReader } from "../../../../src/storage/files/reader/reader.ts";
import { createYard, edit, move, REST, write } from "../../../legion/undo/yard.ts";
import { legion } from "../../legion.ts";

describe("a change that was taken back", () => {
  it("is told as such, each path by itself, until the undo is taken back itself", async () => {
    const world = await createYard(
      { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" },
      {
        1: [
          { calls: [edit("a.txt", "a", "A"), write("./new.txt", "x"), move("c.txt", "d.txt")] },
          REST,
          { calls: [edit("a.txt", "A", "AA"), edit("b.txt", "b", "B")] },
          REST,
          REST,
          REST,
        ],
      },
    );
    const { project } = world;
    const told = async (): Promise<readonly string[]> => {
      const json = (await legion(["report", "--json", "--all"], { cwd: project })).json[0];
      const { changed } = reportSchema.parse(json);
      return changed.items.map(({ path, times, takenBack }) => `${path} ${takenBack}/${times}`).sort();
    };
    const marked = async (): Promise<readonly string[]> => {
      const { changes } = await readChanges(createFileReader(project));
      return changes.flatMap(({ path, isTakenBack }) => (isTakenBack ? [path] : [])).sort();
    };
    const [first] = await world.say("1", "Go.");
    await world.idle();
    await world.say("1", "Go on.");
    await world.idle();
    expect(await told()).toEqual(["./new.txt 0/1", "a.txt 0/1", "a.txt 0/1", "b.txt 0/1", "d.txt 0/1"]);
    expect(await marked()).toEqual([]);

    const { event } = await world.legion.undo(first!);
    await world.idle();
    // What was changed for something else since stays.
    expect(await told()).toEqual(["./new.txt 1/1", "a.txt 0/1", "a.txt 0/1", "b.txt 0/1", "d.txt 1/1"]);
    expect(await marked()).toEqual(["./new.txt", "d.txt"]);
    const page = (await legion(["report"], { cwd: project, columns: 110 })).out.replace(/\s+/g, " ");
    expect(page).toMatch(/\.\/new\.txt taken back: created/);
    // Where it is cut, it is not that which is missing.
    expect((await legion(["report"], { cwd: project, columns: 60 })).out).toMatch(/new\.txt +taken b/);
    expect((await legion(["report", "--md"], { cwd: project })).out).toContain(
      "- `c.txt` → `d.txt` taken back: moved ",
    );

    await world.legion.undo(`0.${event}`);
    expect(await told()).toEqual(["./new.txt 0/1", "a.txt 0/1", "a.txt 0/1", "b.txt 0/1", "d.txt 0/1"]);
    expect(await marked()).toEqual([]);
    await world.stop();
  });

  it("is counted where it was one of several times", async () => {
    const world = await createYard(
      { "a.txt": "a\n" },
      { 1: [{ calls: [edit("a.txt", "a", "A")] }, { calls: [edit("a.txt", "A", "AA")] }, REST, REST] },
    );
    await world.say("1", "Go.");
    await world.idle();
    const newest = (await world.kinds("1", "result")).filter(({ details }) => details !== undefined).at(-1)!;
    await world.legion.undo(`1.${newest.seq}`);
    await world.idle();
    await world.stop();
    const { out } = await legion(["report"], { cwd: world.project, columns: 110 });
    expect(out).toMatch(/a\.txt +1 of 2 taken back: changed, 2 times/);
  });
});
