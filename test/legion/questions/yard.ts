// What agents of these stories may do: each thing that is really done is a line of a file, whoever does it.

import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { core } from "../../../modules/core.ts";
import { defineAction, defineModule, ok, type Module } from "../../../src/domain/authoring/module.ts";

const fileIn = (project: string): string => join(project, "done.txt");

/** `deploy` has to be asked, `look` has not; nobody may do either twice. */
export function yardIn(project: string): readonly Module[] {
  const note = (line: string): void => appendFileSync(fileIn(project), `${line}\n`);
  const deploy = defineAction({
    description: "Deploy to a place",
    parameters: { to: z.string() },
    execute({ to }) {
      note(to);
      return ok(`deployed to ${to}`);
    },
  });
  const look = defineAction({
    description: "Look",
    touches: [],
    execute() {
      note("look");
      return ok("looked");
    },
  });
  return [core, defineModule({ name: "yard", actions: { deploy, look } })];
}

/** What was done, oldest first. */
export async function doneIn(project: string): Promise<readonly string[]> {
  const text = await readFile(fileIn(project), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}
