// A scribe whose project has rules of its own: by which it asks, and what its log says of them.

import { describe, expect, it } from "vitest";
import type { Rules } from "../../../../modules/memory/prompts/rules.ts";
import { promptAt } from "../../../../src/legion/replay/past-prompt.ts";
import { createFileReader } from "../../../../src/storage/files/reader/reader.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { replay, replayLegion } from "../../../legion/replay/replays.ts";
import { QUIET } from "../../../observed.ts";
import { createWorld, type World } from "../../../world.ts";
import { obliging, scribeOf, scripted } from "./listening.ts";

const RULES: Rules = {
  entry_capture_prompt: "- Tag every message with `deck`.",
  summary_prompt: "- Write as the log of a ship.\n- At most 40 characters.",
  context_prompt: "# The log\n\nOne heading, # Log, and nothing else.",
};

/** A scribe by these rules, which may be others at the next start. */
async function sailing(first: Partial<Rules> = RULES) {
  let prompts = first;
  const clock = createHandClock();
  const settings = (module: string) => (module === "scribe" ? { prompts } : {});
  const model = obliging();
  let world = await createWorld({ "1": QUIET, scribe: scribeOf(model) }, { clock, settings });
  return {
    model,
    world: () => world,
    async say(word: string) {
      await world.say("1", word);
      await world.idle();
    },
    async silence() {
      clock.advance(30 * 60_000);
      await world.idle();
    },
    /** The next start, with these rules. */
    async again(next: Partial<Rules>) {
      prompts = next;
      world = await world.restart();
    },
    newest: () => model.requests.at(-1)!.system,
  };
}

async function recalledBy(world: World) {
  const recalled = await world.kinds("scribe", "recalled");
  return recalled.map(({ module, key, content }) => `${module} ${key}: ${content}`);
}

describe("a scribe with rules of its project", () => {
  it("asks by these, word for word, in the place of ours; what is quoted holds no instructions all the same", async () => {
    const { say, silence, model } = await sailing();
    await say("I sail a boat called Ada.\nShe is red.");
    await silence();
    const [entry, context] = model.requests;
    await expect(entry!.system).toMatchFileSnapshot("__snapshots__/entry-prompt-replaced.txt");
    await expect(context!.system).toMatchFileSnapshot("__snapshots__/context-prompt-replaced.txt");
  });

  it("has its log say so before it asks for the first time, and again only where a start finds others; blank or gone, ours hold", async () => {
    const { say, again, newest, world } = await sailing({ summary_prompt: RULES.summary_prompt });
    await say("One");
    const kinds = (await world().events("scribe")).map(({ kind }) => kind);
    expect(kinds.indexOf("recalled")).toBeLessThan(kinds.indexOf("prompted"));
    expect(kinds.indexOf("recalled")).toBeGreaterThan(-1);
    expect(newest()).toContain("SUMMARY GENERATION RULES:\n- Write as the log of a ship.");
    expect(newest()).toContain("ENTRY CAPTURE RULES:\n- Enter the current message, exactly once.");
    const known = [`scribe summary_prompt: ${RULES.summary_prompt}`];
    expect(await recalledBy(world())).toEqual(known);

    await again({ summary_prompt: RULES.summary_prompt });
    await say("Two");
    expect(await recalledBy(world())).toEqual(known);

    await again({ summary_prompt: "- In verse." });
    await say("Three");
    expect(newest()).toContain("SUMMARY GENERATION RULES:\n- In verse.");
    expect(await recalledBy(world())).toEqual([...known, "scribe summary_prompt: - In verse."]);

    await again({});
    await say("Four");
    expect(newest()).toContain("SUMMARY GENERATION RULES:\n- At most 512 characters");
    expect(await recalledBy(world())).toEqual([
      ...[...known, "scribe summary_prompt: - In verse."],
      "scribe summary_prompt: ",
    ]);

    await again({ summary_prompt: " \n " });
    await say("Five");
    expect(newest()).toContain("SUMMARY GENERATION RULES:\n- At most 512 characters");
  });

  it("is replayed without these files, alone and with its legion, and each prompt is shown as it was", async () => {
    const { say, silence, again, model, world } = await sailing();
    await say("One");
    await silence();
    await again({});
    await say("Two");
    const asked = await world().kinds("scribe", "prompted");
    await world().stop();
    const { project } = world();
    const today = scribeOf(scripted(() => "Nobody is asked."));
    expect((await replay(project, "scribe", today)).difference).toBeUndefined();
    expect((await replayLegion(project, { "1": QUIET, scribe: today })).difference).toBeUndefined();
    const reader = createFileReader(project);
    const shown = await Promise.all(
      asked.map(async ({ seq }) => (await promptAt(reader, "scribe", seq)).system),
    );
    expect(shown).toEqual(model.requests.map(({ system }) => system));
    expect(shown[0]).toContain("log of a ship");
    expect(shown.at(-1)).not.toContain("log of a ship");
  });

  it("has in a fork what it had recalled until then, and asks by what holds where that goes on", async () => {
    const { say, again, newest, world } = await sailing();
    await say("One");
    const [asked] = await world().kinds("scribe", "prompted");
    await again({ summary_prompt: "- In verse." });
    await say("Two");
    expect(newest()).toContain("- In verse.");
    const { done } = await world().legion.fork({ agent: "scribe", at: asked!.seq });
    await done;
    await say("Three");
    expect(newest()).toContain("SUMMARY GENERATION RULES:\n- In verse.");
    expect(newest()).not.toContain("deck");
    const branch = (await world().kinds("scribe", "branch")).at(-1)!;
    const after = (await world().kinds("scribe", "recalled")).filter(({ seq }) => seq > branch.seq);
    expect(after.map(({ key, content }) => `${key}: ${content}`)).toEqual([
      ...["entry_capture_prompt: ", "summary_prompt: - In verse.", "context_prompt: "],
    ]);
  });
});
