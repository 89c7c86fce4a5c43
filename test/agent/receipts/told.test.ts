import { describe, expect, it } from "vitest";
import { messaging } from "../../../modules/messaging.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createWorldInMemory, type WorldAgent } from "../../world.ts";
import { puppetry } from "../../past/receipts/puppets.ts";
import { core } from "../../../modules/core.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };
const RUN: ScriptedAnswer = { calls: [{ action: "run", parameters: { what: "make", how: "0" } }] };

async function promptsOf(agent: Partial<WorldAgent>, script: readonly ScriptedAnswer[] = [RUN, NOOP]) {
  const model = createScriptedModel(script, { tools: agent.protocol !== "text" });
  const world = await createWorldInMemory({ 1: { modules: [core, messaging, puppetry], ...agent, model } });
  await world.say("1", "build it");
  await world.idle();
  return { world, requests: model.requests };
}

const partOf = (system: string): string => /--- RECEIPTS ---\n\n(.*)$/s.exec(system)?.[1] ?? "";

describe("an agent with receipts", () => {
  it("is told in two sentences how to cite, at the end of its instructions", async () => {
    const { requests } = await promptsOf({ receipts: "on" });
    expect(partOf(requests[0]!.system)).toBe(
      "Each result is shown under its number, such as [#417]: whenever you report what you did, cite the results that prove it, `#417` for " +
        "your own and `#2.417` for one that agent 2 cited to you, in `receipts` of `sendMessage`, or in the last line of a plain answer, as " +
        "in `Receipts: #417, #2.418`. Whoever reads it sees whether each is proven, failed, or stale because something was written since: " +
        "so check once more after your last change, and cite that.",
    );
  });

  it("is told what is required of it, and nothing of plain answers where there are none", async () => {
    const { requests } = await promptsOf({ receipts: "required", protocol: "text" }, []);
    expect(partOf(requests[0]!.system)).toBe(
      "Each result is shown under its number, such as [#417]: whenever you report what you did, cite the results that prove it, `#417` for " +
        "your own and `#2.417` for one that agent 2 cited to you, in `receipts` of `sendMessage`. A report to Control that cites no proven " +
        "result is not sent at first, and one is stale as soon as something was written since: so check once more after your last change, " +
        "and cite that.",
    );
  });

  it("is shown the number of each result, which is that of its event", async () => {
    const { world, requests } = await promptsOf({ receipts: "on" });
    const [result] = await world.kinds("1", "result");
    expect(requests[1]!.turns.at(-1)).toEqual({
      role: "results",
      results: [expect.objectContaining({ content: `[#${result!.seq}]\ndone`, isError: false })],
    });
  });

  it("has the same tools as one without, to the byte", async () => {
    const [on, off] = [await promptsOf({ receipts: "on" }), await promptsOf({})];
    expect(on.requests[0]!.tools).toEqual(off.requests[0]!.tools);
    expect(JSON.stringify(off.requests[0]!.tools)).not.toContain("receipts");
  });
});

describe("an agent without", () => {
  it("is shown what it was shown before, to the byte", async () => {
    const [on, off] = [await promptsOf({ receipts: "on" }), await promptsOf({})];
    expect(on.requests[0]!.system).toBe(
      `${off.requests[0]!.system}\n\n--- RECEIPTS ---\n\n${partOf(on.requests[0]!.system)}`,
    );
    const results = off.requests[1]!.turns.at(-1);
    expect(results).toMatchObject({ results: [{ content: "done" }] });
  });

  it("keeps the last line of its answer, whatever that says", async () => {
    const { world } = await promptsOf({}, [RUN, "It is paid.\nReceipts: #12"]);
    const [said] = await world.kinds("0", "message");
    expect(said!.message).toMatchObject({ content: "It is paid.\nReceipts: #12" });
    expect(said!.message.receipts).toBeUndefined();
  });
});
