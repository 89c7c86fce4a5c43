import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readPurse } from "../../../src/control/reading/purse.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { createTempProject } from "../../temp-project.ts";

const NOON = new Date(2026, 2, 14, 12).getTime();
const spent = (cost: number) => ({ steps: 1, tokens: 100, cost });
const BOOK = {
  format: 1,
  spent: {
    "2026-03-13": { "/a": spent(2) },
    "2026-03-14": { "/a": spent(0.25), "/b": spent(0.5) },
    "2026-02-28": { "/a": spent(9) },
  },
  open: {},
};

it("tells of the person's day and month what they limit, and what of it is gone; nothing where they limit nothing", async () => {
  const settings = "limits:\n  day: { cost: 1 }\n  month: { tokens: 1000 }\n";
  const config = await createTempProject({ "ai-legion/config.yaml": settings });
  await writeFile(join(config, "ai-legion/purse.json"), JSON.stringify(BOOK));
  const person = openPersonFolder({ XDG_CONFIG_HOME: config });
  expect(await readPurse(person, NOON)).toMatchObject({
    periods: [
      { name: "day", limits: { cost: 1 }, spent: { steps: 2, tokens: 200, cost: 0.75 } },
      { name: "month", limits: { tokens: 1000 }, spent: { steps: 3, tokens: 300, cost: 2.75 } },
    ],
  });
  const elsewhere = openPersonFolder({ XDG_CONFIG_HOME: await createTempProject() });
  expect(await readPurse(elsewhere, NOON)).toEqual({ periods: [] });
  expect(await readPurse(undefined, NOON)).toEqual({ periods: [] });
});
