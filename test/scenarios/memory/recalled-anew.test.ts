// What a long-term memory has come to while an agent worked, it is shown from the first prompt on behind a summary.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { core } from "../../../modules/core.ts";
import { memory } from "../../../modules/memory/index.ts";
import { LegionError } from "../../../src/base/errors.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import { createScriptedModel, type ScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";
import { replay } from "../../legion/replay/replays.ts";
import { letter } from "../../mail/letter.ts";
import { openWorld, temporaryFolder } from "../../world.ts";

const ID = "main/legion";
const LONG = "one two three ".repeat(20);

const counting = defineModule({
  name: "counting",
  actions: {
    count: defineAction({
      description: "Count",
      parameters: { text: z.string() },
      effects: "none",
      touches: [],
      execute: ({ text }) => ok(text),
    }),
  },
});

const sinceSummary = (system: string): boolean => system.includes("> The boat is called Bea.");

/** An agent that counts until its past was summarised, and twice more; the context changes while it is. */
async function summarised(
  model: (counts: () => number) => Partial<ScriptedModel> & { readonly window?: number },
) {
  const project = await temporaryFolder();
  const backend = createFileBackend(project);
  let n = 0;
  const keep = async (content: string): Promise<void> => {
    const details = { context: { upTo: 0 } };
    await backend.memories.receive(ID, letter(ID, ++n, { from: "scribe", content, details }));
  };
  await keep("The boat is called Ada.");
  const shown: string[] = [];
  const { window = 4_000, ...own } = model(() => shown.length);
  const scripted = createScriptedModel(
    ({ system, tools }) => {
      if (tools.length === 0) return "You counted.";
      shown.push(system);
      const isDone = shown.filter(sinceSummary).length > 2;
      return isDone || shown.length > 60
        ? { text: "Done." }
        : { calls: [{ action: "count", parameters: { text: `${shown.length} ${LONG}` } }] };
    },
    { window },
  );
  const complete: ScriptedModel["complete"] = async (request, options) => {
    if (request.tools.length === 0) await keep("The boat is called Bea.");
    else if (own.complete) await own.complete(request, options);
    return scripted.complete(request, options);
  };
  const agent = { modules: [core, memory, counting], memories: [ID] };
  const world = await openWorld(
    project,
    { "1": { ...agent, model: { ...scripted, complete } } },
    { backend },
  );
  await world.say("1", "Count");
  await world.idle();
  await world.stop();
  return { project, world, shown, agent: { ...agent, model: scripted } };
}

/** What refuses one prompt of an agent that has counted so often, as too long. */
const refusing = (times: number) => (counts: () => number) => {
  let isRefused = false;
  const complete: ScriptedModel["complete"] = () => {
    if (counts() < times || isRefused) return Promise.resolve(undefined as never);
    isRefused = true;
    return Promise.reject(new LegionError("CONTEXT_OVERFLOW", "prompt is too long"));
  };
  return { complete, window: 100_000 };
};

describe.each([
  ["that its own count asks for", () => ({})],
  ["that its provider asks for", refusing(12)],
])("a summary %s", (_, model) => {
  it("is followed by no prompt that shows what was recalled before it, and replays", async () => {
    const { project, world, shown, agent } = await summarised(model);
    const events = (await world.events("1")).filter(
      ({ kind }) => kind === "summary" || kind === "recalled" || kind === "prompted",
    );
    const kinds = events.map(({ kind }) => kind);
    const at = kinds.indexOf("summary");
    expect(at).toBeGreaterThan(1);
    expect(kinds.slice(at, at + 3)).toEqual(["summary", "recalled", "prompted"]);
    expect(kinds.filter((kind) => kind === "recalled")).toHaveLength(2);
    const first = shown.findIndex(sinceSummary);
    expect(shown.slice(first).every(sinceSummary)).toBe(true);
    for (const system of shown.slice(0, first)) expect(system).toContain("> The boat is called Ada.");
    const { difference } = await replay(project, "1", agent);
    expect(difference && describeDifference(difference)).toBeUndefined();
  });
});
