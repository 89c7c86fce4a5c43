import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Nodes } from "../../../src/storage/contract/nodes.ts";
import { createRedisNodes } from "../../../src/storage/redis/node/nodes.ts";
import { legionKeys } from "../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../src/storage/redis/connection/link.ts";
import { createService } from "../../../src/control/service.ts";
import { openNodesClient, type NodesClient } from "../../../src/control/nodes/client.ts";
import type { ControlServer } from "../../../src/control/api/serve.ts";
import { serveOverNodes } from "../../../src/control/nodes/server.ts";
import { openTestLink } from "../../storage/redis/members.ts";
import { redisIsThere, startRedis, type Server } from "../../storage/redis/servers.ts";
import { byHand, createWorld, type World } from "../../world.ts";

const NODE = "7@here/1";
const noop = { calls: [{ action: "noop" }] };

let server: Server;
let legionName: string;
beforeAll(async () => void (server = await startRedis()));
beforeEach(() => void (legionName = `legion-${randomUUID()}`));
afterAll(() => server.stop());

const connect = (): Promise<Link> => openTestLink(server.url);

const nodesOver = (link: Link): Nodes => createRedisNodes({ link, legion: legionName });

interface Served {
  readonly world: World;
  /** As any program may say it. */
  readonly link: Link;
  readonly client: NodesClient;
  readonly served: ControlServer;
}

async function serve(world: World): Promise<Served> {
  const [atNode, link] = [await connect(), await connect()];
  const service = createService({ legion: world.legion, onStop: () => undefined });
  const served = await serveOverNodes({ nodes: nodesOver(atNode), node: NODE, service });
  onTestFinished(served.close);
  return { world, link, client: await openNodesClient(nodesOver(link)), served };
}

const say = (content: string) => ({ path: "/say", body: { targets: ["1"], content }, patienceMs: 10_000 });

async function contents({ world }: Served): Promise<readonly string[]> {
  return (await world.kinds("0", "notice")).map(({ content }) => content);
}

describe.skipIf(!redisIsThere)("orders over Redis", () => {
  it("does what is asked of the node and says what came of it", async () => {
    const { client, world } = await serve(await createWorld({ "1": { script: [noop] } }));
    expect(await client.ask(NODE, say("Hello"))).toEqual({ ids: ["0>1#1"] });
    await world.idle();
    const status = await client.ask(NODE, { path: "/status", body: {}, patienceMs: 10_000 });
    expect(status).toMatchObject({ agents: [{ id: "1", steps: 1, node: expect.stringContaining("@") }] });
  });

  it("passes on why something is refused, with its code", async () => {
    const { client } = await serve(await createWorld({ "1": {} }));
    const order = (targets: readonly string[]) =>
      client.ask(NODE, { path: "/order", body: { order: "pause", targets }, patienceMs: 10_000 });
    await expect(order(["9"])).rejects.toMatchObject({
      code: "USAGE",
      message: 'there is no agent "9"; known: 1',
    });
  });

  it("does once what is asked twice, and answers both times (D1)", async () => {
    const served = await serve(await createWorld({ "1": {} }));
    const { link } = served;
    const client = randomUUID();
    const heard: string[] = [];
    const twice = byHand();
    await link.listen(legionKeys(legionName).answers(client), (text) => {
      if (heard.push(text) === 2) twice.resolve();
    });
    const request = { id: randomUUID(), client, path: "/say", body: { targets: ["1"], content: "Once" } };
    for (let time = 0; time < 2; time++) {
      await link.command("PUBLISH", legionKeys(legionName).orders(NODE), JSON.stringify(request));
    }
    await twice.promise;
    expect(heard[1]).toBe(heard[0]);
    expect(JSON.parse(heard[0]!)).toEqual({ id: request.id, answer: { ids: ["0>1#1"] } });
    expect(await contents(served)).toEqual(["Once"]);
  });

  it("asks again where the node was not there to hear the first time", async () => {
    const world = await createWorld({ "1": {} });
    const asking = (await openNodesClient(nodesOver(await connect()))).ask(NODE, say("Are you there?"));
    const service = createService({ legion: world.legion, onStop: () => undefined });
    const served = await serveOverNodes({ nodes: nodesOver(await connect()), node: NODE, service });
    onTestFinished(served.close);
    expect(await asking).toEqual({ ids: ["0>1#1"] });
  });

  it("says so when nobody answers", async () => {
    const client = await openNodesClient(nodesOver(await connect()));
    await expect(client.ask(NODE, { ...say("Hello"), patienceMs: 50 })).rejects.toMatchObject({
      code: "LOCKED",
    });
  });

  it.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["null", "null"],
    ["a list", "[]"],
    ["no id", JSON.stringify({ client: randomUUID(), path: "/stop" })],
    ["an id of its own making", JSON.stringify({ id: "__proto__", client: randomUUID(), path: "/stop" })],
    ["a client of its own making", JSON.stringify({ id: randomUUID(), client: "}:other", path: "/stop" })],
    ["no path", JSON.stringify({ id: randomUUID(), client: randomUUID(), path: 7 })],
    ["lists in lists", "[".repeat(1_000_000)],
    [
      "a text past the limit",
      JSON.stringify({ id: randomUUID(), client: randomUUID(), path: "/stop", body: "x".repeat(9_000_000) }),
    ],
  ])("does not hear %s (D2)", async (_, text) => {
    const served = await serve(await createWorld({ "1": {} }));
    await served.link.command("PUBLISH", legionKeys(legionName).orders(NODE), text);
    expect(await served.client.ask(NODE, say("Still here?"))).toEqual({ ids: ["0>1#1"] });
    expect(await contents(served)).toEqual(["Still here?"]);
  });

  it.each([
    ["an unknown path", "/nothing", {}, 'there is no "/nothing"'],
    ["the name of what every object has", "constructor", {}, 'there is no "constructor"'],
    ["a body that is none", "/say", null, "expected an object"],
    [
      "a field that would be a prototype",
      "/say",
      JSON.parse('{"__proto__":{}}'),
      '"__proto__": no such field',
    ],
    ["targets that are no texts", "/say", { targets: [{}], content: "x" }, "targets: expected"],
    ["another order", "/order", { targets: "all", order: "toString" }, "order: expected"],
  ])("refuses %s (D2)", async (_, path, body: object, message) => {
    const served = await serve(await createWorld({ "1": {} }));
    const asking = served.client.ask(NODE, { path, body, patienceMs: 10_000 });
    await expect(asking).rejects.toMatchObject({ code: "USAGE", message: expect.stringContaining(message) });
    expect(await contents(served)).toEqual([]);
  });

  it("hears again after Redis has cut it off for a text of 40 MB (D2)", async () => {
    const served = await serve(await createWorld({ "1": {} }));
    await served.link.command("PUBLISH", legionKeys(legionName).orders(NODE), "x".repeat(40 * 1_048_576));
    expect(await served.client.ask(NODE, say("Back?"))).toEqual({ ids: ["0>1#1"] });
  });

  it("takes no more orders than it can remember (D1)", async () => {
    const served = await serve(await createWorld({ "1": {} }));
    const order = { path: "/order", body: { order: "resume", targets: ["1"] }, patienceMs: 10_000 };
    const answers = await Promise.allSettled(
      Array.from({ length: 1_001 }, () => served.client.ask(NODE, order)),
    );
    expect(answers.map(({ status }) => status)).toEqual([...Array(1_000).fill("fulfilled"), "rejected"]);
  });

  it("does not send a question that no node would hear", async () => {
    const served = await serve(await createWorld({ "1": {} }));
    await expect(served.client.ask(NODE, say("x".repeat(9_000_000)))).rejects.toMatchObject({
      code: "USAGE",
    });
  });

  it("answers what it has heard before it closes", async () => {
    const answer = byHand<typeof noop>();
    const { world, client, served } = await serve(
      await createWorld({ "1": { script: () => answer.promise } }),
    );
    await world.say("1", "Think");
    await world.until((seen) => seen.kind === "live:state" && seen.state === "thinking");
    const pausing = client.ask(NODE, {
      path: "/order",
      body: { order: "pause", targets: ["1"] },
      patienceMs: 10_000,
    });
    // One channel keeps its order: the node has heard of the other one, too, when it answers this.
    await client.ask(NODE, { path: "/status", body: {}, patienceMs: 10_000 });
    await served.close();
    expect(await pausing).toEqual({ agents: [{ id: "1", outcome: "soon" }] });
    answer.resolve(noop);
    await world.idle();
  });
});
