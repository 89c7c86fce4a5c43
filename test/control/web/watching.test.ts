// What a page is told of a legion that runs, rests, ends and begins again under it, and what it may have it do.

import { describe, expect, it } from "vitest";
import { NOOP } from "../../workshop.ts";
import { POLITE, QUIET } from "../../observed.ts";
import { createWorld, type World, type WorldAgent } from "../../world.ts";
import { serve } from "../serve.ts";
import { openPage, untilTold, type OpenedPage, type Told } from "./kit.ts";

const numberOf = ({ value }: Told): number => Number(value["seq"]);

interface Row {
  readonly id: string;
  readonly state: string;
  readonly node: string | null;
}

const rows = ({ value }: Told): readonly Row[] => value["agents"] as readonly Row[];

async function served(agents: Readonly<Record<string, WorldAgent>>) {
  const world = await createWorld(agents);
  const server = await serve(world);
  return { world, server, page: await openPage(world.project) };
}

describe("the overview of a page", () => {
  it("is all of it at first, then what changed, whole again for whoever comes, also when the node has ended", async () => {
    const { world, server, page } = await served({ "1": POLITE, "2": QUIET });
    const told = await page.stream("/v1/overview");
    const first = (await told.next()).value as Told;
    expect(first.value).toMatchObject({ whole: true, away: null, gone: [] });
    expect(rows(first).map(({ id, state }) => [id, state])).toEqual([
      ["1", "idle"],
      ["2", "idle"],
    ]);
    await world.say("1", "Hello");
    const changed = await untilTold(told, (one) => rows(one).some(({ id }) => id === "1"));
    expect(changed.value["whole"]).toBe(false);
    expect(rows(changed).map(({ id }) => id)).toEqual(["1"]);
    const other = await page.stream("/v1/overview");
    expect(rows((await other.next()).value as Told)).toHaveLength(2);
    await world.idle();
    await server.close();
    await world.stop();
    const ended = await untilTold(told, ({ value }) => (value["nodes"] as unknown[]).length === 0);
    expect(rows(ended).every(({ state, node }) => state === "stopped" && node === null)).toBe(true);
  });
});

/** Reads a stream to the event `last`, and hangs up. */
async function readTo(page: OpenedPage, last: number, lastId?: string): Promise<readonly Told[]> {
  const told = await page.stream(
    "/v1/agents/1/events",
    lastId === undefined ? {} : { "last-event-id": lastId },
  );
  const events: Told[] = [];
  await untilTold(told, (one) => {
    if (one.id !== undefined) events.push(one);
    return one.id !== undefined && numberOf(one) >= last;
  });
  await told.return(undefined);
  return events;
}

const talk = async (world: World, ...texts: readonly string[]): Promise<number> => {
  for (const text of texts) {
    await world.say("1", text);
    await world.idle();
  }
  return (await world.events("1")).at(-1)!.seq;
};

describe("the log of an agent on a page", () => {
  it("is every event once and in order, behind the last one seen, across the end of a node and the next start", async () => {
    const { world, server, page } = await served({ "1": POLITE });
    const first = await readTo(page, await talk(world, "One", "Two"));
    await server.close();
    await world.stop();
    const again = await world.restart();
    await serve(again);
    const second = await readTo(page, await talk(again, "Three"), first.at(-1)!.id);
    const all = await again.events("1");
    expect([...first, ...second].map(({ value }) => value)).toEqual(JSON.parse(JSON.stringify(all)));
    expect(second[0]!.value).toMatchObject({ kind: "opened", epoch: 2 });
  });

  it("begins anew where another log is there by now, whatever number was seen", async () => {
    const { world, page } = await served({ "1": POLITE });
    const last = await talk(world, "One");
    expect((await readTo(page, last, "another-log:3")).map(numberOf)[0]).toBe(1);
    const [{ id }] = (await readTo(page, last)) as [Told];
    expect((await readTo(page, last, id)).map(numberOf)[0]).toBe(2);
    expect((await readTo(page, last, "no number")).map(numberOf)[0]).toBe(1);
  });

  it("has live what is no event yet, without a number", async () => {
    const script = () => NOOP;
    const { world, page } = await served({ "1": { ...QUIET, script } });
    const last = await talk(world, "Before");
    const told = await page.stream("/v1/agents/1/events");
    await untilTold(told, (one) => numberOf(one) === last);
    await world.say("1", "Hello");
    const state = await untilTold(told, ({ value }) => value["kind"] === "live:state");
    expect(state.id).toBeUndefined();
    expect(state.value).toMatchObject({ agent: "1" });
  });
});

describe("what a page reads and does", () => {
  it("pages through a log from its end, and shows what a decision was shown", async () => {
    const { world, page } = await served({ "1": POLITE });
    const last = await talk(world, "One", "Two", "Three");
    const seqs = async (query: string): Promise<readonly number[]> =>
      ((await page.ask(`/v1/agents/1/log${query}`)).json["events"] as { seq: number }[]).map(
        ({ seq }) => seq,
      );
    expect(await seqs("?limit=3")).toEqual([last - 2, last - 1, last]);
    expect(await seqs(`?limit=3&before=${last - 2}`)).toEqual([last - 5, last - 4, last - 3]);
    expect(await seqs("?from=2&limit=2")).toEqual([2, 3]);
    expect(await seqs("?before=1")).toEqual([]);
    const [decision] = await world.kinds("1", "decision");
    const { json } = await page.ask(`/v1/agents/1/prompt?at=${decision!.seq}`);
    const parts = json["parts"] as { title: string; text: string; tokens: number }[];
    expect(parts.find(({ title }) => title === "User")!.text).toContain("One");
    expect(parts.every(({ tokens }) => tokens > 0)).toBe(true);
  });

  it("does what the commands do, with a node and without one, and says what came of it", async () => {
    const { world, server, page } = await served({ "1": POLITE, "2": QUIET });
    expect(await page.ask("/v1/say", { targets: ["1"], content: "Hello" })).toMatchObject({
      status: 200,
      json: { ids: ["0>1#1"] },
    });
    await world.idle();
    const { json } = await page.ask("/v1/inbox");
    expect(json["messages"]).toMatchObject([{ source: { id: "1" } }]);
    expect((await page.ask("/v1/order", { targets: ["2"], order: "pause" })).json).toEqual({
      agents: [{ id: "2", outcome: "done" }],
    });
    await server.close();
    await world.stop();
    expect((await page.ask("/v1/say", { targets: ["1"], content: "Later" })).status).toBe(200);
    expect(await page.ask("/v1/say", { targets: ["1"], content: "Now", delivery: "abort" })).toMatchObject({
      status: 409,
      json: { error: { code: "REFUSED", message: "no node runs here: there is nothing to abort" } },
    });
    expect((await page.ask("/v1/agents/9")).json["error"]).toMatchObject({ code: "USAGE" });
    expect((await page.ask("/v1/spawn", { task: "x", request: "r" })).status).toBe(409);
  });
});
