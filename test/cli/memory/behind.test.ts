import { expect, it } from "vitest";
import { createTempProject } from "../../temp-project.ts";
import { legion } from "../legion.ts";
import { fill, memory, said } from "./kit.ts";

const END = ["--until-idle", "--tick", "0"];

it("`legion memory` says how much its scribe has not heard, also that it has been stopped", async () => {
  const cwd = await createTempProject({});
  await legion(["start", "1", "--scribe", "--task", "noop", ...END], { cwd });
  expect((await memory(cwd)).out).toMatch(
    /^MEMORY +ENTRIES +NEWEST +KEEPER +BEHIND .*\nmain\/legion +1 +\d+s +- +0 .*\n$/,
  );
  // A message, what it says to the person, and its answer.
  await legion(["start", "--only", "1", "--task", "noop", ...END], { cwd });
  await fill(cwd, [said(1, "x")], "team/notes");
  const { out } = await memory(cwd);
  expect(out).toMatch(/^main\/legion +1 +\d+s +- +3 /m);
  expect(out).toMatch(/^team\/notes +1 +\d+s +- +- /m);
  expect(out).toMatch(/\nmain\/legion: its scribe has been stopped; 3 messages wait\.\n$/);
  expect((await memory(cwd, ["--json"])).json).toMatchObject([
    { memory: "main/legion", behind: 3 },
    { memory: "team/notes", behind: null },
  ]);
  await legion(["start", "--only", "1,scribe", ...END], { cwd });
  expect((await memory(cwd, ["--json"])).json[0]).toMatchObject({ entries: 4, behind: 0 });
});
