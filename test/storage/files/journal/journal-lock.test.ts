import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createDisk } from "../../../../src/base/files/disk.ts";
import { openJournal } from "../../../../src/storage/files/journal/journal.ts";
import { createTempProject } from "../../../temp-project.ts";
import { reopenJournal, WRITER, say, textsIn } from "../open-journal.ts";

it("a journal does not count what was flushed when the lock was lost, and leaves it to whoever took over (J1, J2)", async () => {
  const root = await createTempProject();
  const folder = join(root, "log");
  const disk = createDisk(join(root, "tmp"));
  let held = true;
  const { journal } = await reopenJournal({ folder, disk, held: () => held, maxPartBytes: 1 });
  await say(journal, "mine");
  held = false;
  await expect(say(journal, "flushed too late")).rejects.toMatchObject({ code: "STORAGE" });
  await expect(journal.acknowledged()).rejects.toMatchObject({ code: "STORAGE" });
  expect(await readdir(folder)).toHaveLength(2);
  held = true;
  const start = await journal.acknowledged();
  expect(start).toMatchObject({ last: 2, segments: [{ last: 2 }] });
  await say(openJournal({ ...WRITER, folder, disk }, start), "on");
  expect(await textsIn(folder, disk)).toEqual(["mine", "on"]);
});
