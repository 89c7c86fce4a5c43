// A page that is taken back in time: whatever it asks of a moment is as it was.

import { describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { NOOP } from "../../workshop.ts";
import { createWorld } from "../../world.ts";
import { openPage } from "./kit.ts";

const call = (action: string, parameters: Readonly<Record<string, unknown>>) => ({
  calls: [{ action, parameters }],
});
const AREAS = [
  ...["/agents/1", "/agents/1/log?from=1&limit=500", "/agents/2/log?from=1&limit=500"],
  ...["/inbox", "/dead", "/questions", "/changes", "/costs", "/moment"],
];

/** Two agents that work one after the other, and the times at which nobody does anything. */
async function recorded() {
  const script: ScriptedAnswer[] = [
    call("addGoal", { goal: "First" }),
    call("writeNote", { title: "One", content: "Kept" }),
    call("sendMessage", { targetAgentId: "2", message: "Yours" }),
    call("sendMessage", { targetAgentId: "0", message: "Done" }),
    NOOP,
    call("addGoal", { goal: "Second" }),
    call("sendMessage", { targetAgentId: "0", message: "And this" }),
    NOOP,
  ];
  const world = await createWorld({ "1": { script }, "2": { script: () => NOOP } });
  const page = await openPage(world.project);
  const look = async (moment?: string): Promise<readonly object[]> => {
    const asked = AREAS.map(async (area) => {
      const at = moment === undefined ? "" : `${area.includes("?") ? "&" : "?"}moment=${moment}`;
      const { status, json } = await page.ask(`/v1${area}${at}`);
      expect([status, json["error"]]).toEqual([200, undefined]);
      // How long the record is, all moments of it say alike.
      return { ...json, began: undefined, latest: undefined };
    });
    return Promise.all(asked);
  };
  return { world, page, look };
}

describe("a page that is taken back in time", () => {
  it("shows in every area what it showed then, and now again what there is", async () => {
    const { world, look } = await recorded();
    const seen: (readonly [moment: string, shown: readonly object[]])[] = [];
    for (const words of ["Begin", "Go on"]) {
      await world.say("1", words);
      await world.idle();
      const [whole] = (await look()).slice(-1) as { readonly at: string }[];
      seen.push([whole!.at, await look(whole!.at)]);
      const times = new Set([whole!.at]);
      while (times.has(new Date().toISOString())) await world.idle();
    }
    await world.stop();
    expect(seen[0]![1]).not.toEqual(seen[1]![1]);
    for (const [moment, shown] of seen) expect(await look(moment)).toEqual(shown);
    const now = (await look()) as { readonly agents?: unknown; readonly goals?: unknown }[];
    expect(now[0]!.goals).toMatchObject([{ text: "First" }, { text: "Second" }]);
    const [then] = (await look(seen[0]![0])) as { readonly goals: unknown; readonly notes: unknown }[];
    expect(then).toMatchObject({ goals: [{ text: "First", complete: false }], notes: ["One"] });
  });

  it("shows every moment between two events, what each agent was at, and no message before it was sent", async () => {
    const { world, page } = await recorded();
    await world.say("1", "Begin");
    await world.idle();
    await world.stop();
    const events = [...(await world.events("0")), ...(await world.events("1")), ...(await world.events("2"))];
    const states = new Set<string>();
    for (const at of new Set(events.map((event) => event.at))) {
      const { json } = await page.ask(`/v1/moment?moment=${at}`);
      for (const { id, state } of json["agents"] as { readonly id: string; readonly state: string }[]) {
        states.add(`${id} ${state}`);
        const { json: log } = await page.ask(`/v1/agents/${id}/log?from=1&limit=500&moment=${at}`);
        const ends = json["ends"] as Record<string, number>;
        expect(log["last"]).toBe(ends[id]);
        for (const event of log["events"] as {
          readonly kind: string;
          readonly at: string;
          readonly seq: number;
        }[])
          expect([event.at <= at, event.seq <= ends[id]!]).toEqual([true, true]);
      }
    }
    expect([...states]).toEqual(expect.arrayContaining(["1 idle", "2 idle"]));
  });

  it("says what is no moment, and whom nobody knew then", async () => {
    const { world, page } = await recorded();
    await world.say("1", "Begin");
    await world.idle();
    const wrong = await page.ask("/v1/moment?moment=yesterday");
    expect(wrong.status).toBe(400);
    expect(wrong.json).toMatchObject({ error: { code: "USAGE" } });
    const early = await page.ask("/v1/agents/1?moment=2001-01-01T00:00:00Z");
    expect(early.json).toMatchObject({
      error: { message: expect.stringContaining("there is no agent") as unknown },
    });
    const { json } = await page.ask("/v1/moment?moment=2001-01-01T00:00:00Z");
    expect(json).toMatchObject({ agents: [], ends: {} });
  });

  it("tells what an undo would come to as it is now alone, and of nothing that no log has", async () => {
    const { world, page } = await recorded();
    const [id = ""] = await world.say("1", "Begin");
    await world.idle();
    const what = encodeURIComponent(id);
    const { json } = await page.ask(`/v1/undoing?what=${what}`);
    expect(json).toMatchObject({ done: [], event: null, beyond: [{}, {}, {}] });
    const then = await page.ask(`/v1/undoing?what=${what}&moment=${new Date().toISOString()}`);
    expect([then.status, then.json]).toMatchObject([
      409,
      { error: { code: "REFUSED", message: "what can be taken back is known as it is now alone" } },
    ]);
    const unknown = await page.ask("/v1/undoing?what=7.7");
    expect([unknown.status, unknown.json]).toMatchObject([400, { error: { code: "USAGE" } }]);
  });
});
