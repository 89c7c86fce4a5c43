import { randomUUID } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { READABLE } from "../../../readable.ts";
import { fromArchive } from "../../../../src/storage/archive/imported.ts";
import { packAgents } from "../../../../src/storage/archive/pack.ts";
import { receiveAt } from "../../../../src/storage/archive/unfold.ts";
import type { Event } from "../../../../src/domain/event/event.ts";
import { createRedisBus } from "../../../../src/storage/redis/mail/bus.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { enlist, readRegistry } from "../../../../src/storage/redis/cluster/directory.ts";
import { letter } from "../../../mail/letter.ts";
import { createRedisBackend } from "../../../../src/storage/redis/backend.ts";
import { createRedisReader, createRedisSource } from "../../../../src/storage/redis/reader/reader.ts";
import type { LegionPlace } from "../../../../src/storage/redis/scripts/scope.ts";
import { openNode } from "../redis-world.ts";
import { describeReader } from "../../contract/reader-contract.ts";
import { openTestLink } from "../members.ts";
import { createRedisPlace } from "../recorded-place.ts";
import { redisIsThere, startCluster, startRedis, type Server } from "../servers.ts";
import { createWorld, openWorld } from "../../../world.ts";
import {
  archiveOf,
  eventsOf,
  forge,
  goal,
  linesIn,
  note,
  received,
  restingLegion,
  unreadOf,
  written,
} from "../../archive/archived.ts";
import { ownHand } from "../../../own-hand.ts";

const ALL = ["0", "1", "2"];
const AGENTS = ".ai-legion/agents";

describe.skipIf(!redisIsThere)("an archive and a legion in Redis", () => {
  let server: Server;
  let place: LegionPlace;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());
  beforeEach(async () => {
    place = { link: await openTestLink(server.url), legion: `legion-${randomUUID()}` };
  });

  const reader = () => createRedisReader(place);
  const exported = async (agents: readonly string[]) =>
    written(
      packAgents(createRedisSource(place, { readable: READABLE, authorship: await ownHand() }), agents),
    );
  const imported = async (file: string, as?: string) =>
    receiveAt(
      createRedisBackend(place),
      await fromArchive(file, { as, readable: READABLE, authorship: await ownHand() }),
      READABLE,
    );
  async function events(agent: string): Promise<readonly Event[]> {
    const found: Event[] = [];
    for await (const event of reader().events(agent)) found.push(event);
    return found;
  }
  const unread = async (agent: string) =>
    (await reader().unread(agent, await reader().ledger(agent))).map(({ message }) => message.content);
  /** What the bytes of a file come to is another in every store. */
  const withoutSeals = (all: readonly Event[]) =>
    all.map((event) => (event.kind === "opened" ? { ...event, seals: {} } : event));

  it("keeps a whole legion from files to Redis and back: logs, long texts, goals, notes, records", async () => {
    const { project } = await restingLegion();
    await openWorld(project, { "1": {}, "2": {} }).then((world) => world.stop());
    expect(await imported(await archiveOf(project, ALL))).toEqual([]);
    for (const id of ALL) expect(await events(id)).toEqual(await eventsOf(project, id));
    expect(await reader().known()).toEqual(["1", "2"]);

    const copy = await received(await exported(ALL));
    for (const id of ALL)
      expect(withoutSeals(await eventsOf(copy, id))).toEqual(withoutSeals(await eventsOf(project, id)));
    const paths = (await readdir(join(project, AGENTS), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && !/mailbox|log$/.test(entry.parentPath))
      .map(({ parentPath, name }) => join(parentPath, name).slice(project.length));
    for (const kind of ["1/blobs/", "2/goals.json", "2/notes/", "2/agent.json"])
      expect(paths.join()).toContain(kind);
    for (const path of paths)
      expect([path, await readFile(join(copy, path), "utf8")]).toEqual([
        path,
        await readFile(join(project, path), "utf8"),
      ]);
    const world = await openWorld(copy, { "1": {}, "2": {} });
    expect(await world.kinds("2", "edited")).toEqual([]);
    expect(await world.say("2", "Third")).toEqual(["0>2#2"]);
    await world.idle();
    expect(world.agent("2").memory.ledger.spent.steps).toBeGreaterThan(3);
  });

  it("goes on in Redis where it was in files: unread mail is read, numbers and spending count on", async () => {
    const world = await createWorld({ "1": {}, "2": {} });
    await world.say("2", "First");
    await world.idle();
    await world.legion.agents.get("2")!.pause("for a while");
    await world.say("2", `Waiting${"x".repeat(70_000)}`);
    await world.stop();
    await imported(await archiveOf(world.project, ALL));
    expect((await unread("2")).map((text) => text.slice(0, 7))).toEqual(["Waiting"]);

    const node = await openNode(server.url, place.legion, { "1": {}, "2": {} });
    await node.legion.agents.get("2")!.resume();
    expect(await node.say("2", "Third")).toEqual(["0>2#3"]);
    await node.idle();
    const said = (await node.kinds("2", "message")).map(({ message }) => message.content.slice(0, 7));
    expect(said).toEqual(["First", "Waiting", "Third"]);
    const { ledger } = node.agent("2").memory;
    expect(ledger.spent.steps).toBe((await node.kinds("2", "prompted")).length);
    for (const id of ["0", "2"])
      expect(new Set((await node.kinds(id, "opened")).map(({ log }) => log)).size).toBe(1);
    expect(ledger.epoch).toBeGreaterThan(1);
  });

  it("copies agents that run: they go on as logs of their own, and are told", async () => {
    const node = await openNode(server.url, place.legion, { "2": { script: [goal, note] } });
    await node.say("2", "Work");
    await node.idle();
    const file = await exported(["0", "2"]);
    const copy = await received(file);
    for (const id of ["0", "2"]) {
      const copied = await eventsOf(copy, id);
      expect(new Set(copied.flatMap((event) => (event.kind === "opened" ? [event.log] : []))).size).toBe(2);
      expect(copied.at(-1)).toMatchObject({ kind: "notice", reason: "gap" });
    }
    await node.stop();
    expect((await linesIn(await exported(["2"]))).at(-1)).not.toHaveProperty("live");
    expect((await linesIn(file)).at(-1)).toMatchObject({ live: true });
  });

  it("copies what a log knows to be delivered, and mail taken in meanwhile as unread (X1, X2)", async () => {
    const node = await openNode(server.url, place.legion, { "2": {} });
    await node.say("2", "Early");
    await node.idle();
    const pieces: (string | Buffer)[] = [];
    let hasSaid = false;
    for await (const piece of packAgents(createRedisSource(place, { readable: READABLE }), ["0", "2"])
      .pieces) {
      pieces.push(piece);
      if (hasSaid || !String(piece).includes('"segment"')) continue;
      hasSaid = true;
      await node.say("2", `Later${"x".repeat(70_000)}`);
      await node.say("2", "Last");
      await node.idle();
    }
    const copy = await received(await written({ pieces: streamed(pieces) }));
    for (const id of ["0", "2"]) expect(JSON.stringify(await eventsOf(copy, id))).not.toMatch(/Later|Last/);
    expect((await unreadOf(copy, "2")).map((text) => text.slice(0, 5))).toEqual(["Later", "Last"]);
    expect(await unread("2")).toEqual([]);
  });

  it("keeps the order of mail that was never taken in, whatever its numbers begin with", async () => {
    const { link, legion } = place;
    await enlist({ ...place, agent: "2" }, "{}");
    const bus = createRedisBus({ link, legion, tenureOf: () => undefined });
    for (const delivery of [letter("2", 4), letter("2", 5), letter("2", 9, { after: 5 })])
      await bus.send(delivery);
    expect(await unread("2")).toHaveLength(3);
    const copy = await received(await exported(["2"]));
    expect(await unreadOf(copy, "2")).toEqual(await unread("2"));
    place = { link, legion: `${legion}-2` };
    await imported(await archiveOf(copy, ["2"]));
    expect(await unread("2")).toEqual(await unreadOf(copy, "2"));
    const again = createRedisBus({ ...place, tenureOf: () => undefined });
    expect(await again.send(letter("2", 9))).toMatchObject({ status: "duplicate" });
  });

  it("gives an agent from Redis no workspace, wherever it goes", async () => {
    const record = { id: "2", model: "m", workspace: { id: randomUUID(), host: "h", folder: "/f" } };
    await enlist({ ...place, agent: "2" }, JSON.stringify(record));
    const file = await exported(["2"]);
    expect(await readFile(file, "utf8")).not.toContain("workspace");
    const forged = await forge(file, (lines) =>
      lines.map((line) => (line["kind"] === "file" ? { ...line, text: JSON.stringify(record) } : line)),
    );
    place = { ...place, legion: `${place.legion}-2` };
    await imported(forged);
    const { link, legion } = place;
    expect(JSON.parse((await readRegistry(link, legion)).get("2")!)).toEqual({ id: "2", model: "m" });
  });

  it("names a long text that is not there any more, and copies the rest", async () => {
    const { project } = await restingLegion();
    await imported(await archiveOf(project, ["1"]));
    const hashes = await readdir(join(project, AGENTS, "1/blobs"));
    for (const hash of hashes) await place.link.command("DEL", agentKeys(place.legion, "1").blob(hash));
    const packing = packAgents(createRedisSource(place, { readable: READABLE }), ["1"]);
    const copy = await received(await written(packing));
    expect(packing.tally.remarks.toSorted()).toEqual(
      hashes.map((hash) => `left out the text ${hash} of Agent 1: it is not what was written`).toSorted(),
    );
    expect(JSON.stringify(await eventsOf(copy, "1"))).toContain("(lost: blob ");
  });
});

async function* streamed<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

describe.skipIf(!redisIsThere).each([
  ["Redis", startRedis],
  ["a Cluster", startCluster],
])("a legion in %s", (name, start) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => void (server = await start()));
  afterAll(() => server.stop());

  describeReader(name, () => createRedisPlace(server.url, `reader-${randomUUID()}`));
});
