import { expect, it } from "vitest";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { openProgram } from "../library/programs.ts";
import { createTempProject } from "../temp-project.ts";

it.each([undefined, "memory"] as const)(
  "a legion that is idle has shown the last that its agents said to the person, kept in: %s",
  async (store) => {
    const model = createScriptedModel((_, index) => `answer ${index + 1}`);
    const { spawn, runtime } = await openProgram({ project: await createTempProject(), store, model });
    await spawn();
    const heard: string[] = [];
    runtime.inspector.watch((seen) => {
      if (seen.kind === "event" && seen.agent === "0" && seen.event.kind === "message")
        heard.push(seen.event.message.content);
    });
    for (let n = 1; n <= 5; n++) {
      await runtime.control.say(["1"], "And?");
      await runtime.untilIdle(new AbortController().signal);
      expect(heard.at(-1)).toBe(`answer ${n}`);
    }
  },
);
