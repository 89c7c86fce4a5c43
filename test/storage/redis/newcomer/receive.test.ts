import { randomUUID } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { READABLE } from "../../../readable.ts";
import { fromArchive } from "../../../../src/storage/archive/imported.ts";
import { receiveAt } from "../../../../src/storage/archive/unfold.ts";
import { sha256 } from "../../../../src/past/log/blobs.ts";
import { LegionError } from "../../../../src/base/errors.ts";
import type { Event } from "../../../../src/domain/event/event.ts";
import { createRedisBackend } from "../../../../src/storage/redis/backend.ts";
import { createRedisReader } from "../../../../src/storage/redis/reader/reader.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import type { LegionPlace } from "../../../../src/storage/redis/scripts/scope.ts";
import { enlist } from "../../../../src/storage/redis/cluster/directory.ts";
import { openTestLink } from "../members.ts";
import { openNode } from "../redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "../servers.ts";
import { createWorld, temporaryFolder } from "../../../world.ts";
import { archiveOf, eventsOf, restingLegion } from "../../archive/archived.ts";
import { ownHand } from "../../../own-hand.ts";

const AGENTS = ".ai-legion/agents";

describe.skipIf(!redisIsThere)("agents that arrive in a legion in Redis", () => {
  let server: Server;
  let place: LegionPlace;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());
  beforeEach(async () => {
    place = { link: await openTestLink(server.url), legion: `legion-${randomUUID()}` };
  });

  const reader = () => createRedisReader(place);
  const imported = async (file: string, as?: string) =>
    receiveAt(
      createRedisBackend(place),
      await fromArchive(file, { as, readable: READABLE, authorship: await ownHand() }),
      READABLE,
    );
  const keys = async (): Promise<readonly string[]> => {
    const found = await place.link.commandAll("KEYS", `lg:{${place.legion}*`);
    return found.flatMap(({ reply }) => reply as string[]);
  };
  async function events(agent: string): Promise<readonly Event[]> {
    const found: Event[] = [];
    for await (const event of reader().events(agent)) found.push(event);
    return found;
  }

  it("bring along what is no text, byte for byte", async () => {
    const { project } = await restingLegion();
    const bytes = Buffer.from("89504e470d0aff00", "hex");
    const hash = sha256(bytes);
    await mkdir(join(project, AGENTS, "2/blobs"), { recursive: true });
    await writeFile(join(project, AGENTS, "2/blobs", hash), bytes);
    await imported(await archiveOf(project, ["2"]));
    const { blob } = agentKeys(place.legion, "2");
    expect(await place.link.command("STRLEN", blob(hash))).toBe(bytes.length);
  });

  it("are all there or none, wherever Redis goes away, and what is left then is in nobody's way", async () => {
    const { project, say, idle, stop } = await createWorld({ "1": {}, "2": {} });
    await say("all", "Hello");
    await idle();
    await stop();
    const file = await archiveOf(project, ["1", "2"]);
    const outcomes = new Set<string>();
    for (let n = 0; ; n++) {
      place = { ...place, legion: `legion-${randomUUID()}` };
      const cut = { ...place, link: cutAfter(n, place.link) };
      const isWhole = await receiveAt(
        createRedisBackend(cut),
        await fromArchive(file, { readable: READABLE, authorship: await ownHand() }),
        READABLE,
      ).then(
        () => true,
        () => false,
      );
      const known = await reader().known();
      outcomes.add(known.join());
      expect([n, ["", "1,2"]]).toEqual([n, expect.arrayContaining([known.join()])]);
      if (known.length === 0) await imported(file);
      for (const id of ["1", "2"]) expect(await events(id)).toEqual(await eventsOf(project, id));
      expect((await keys()).filter((key) => key.includes("arriving"))).toEqual([]);
      if (isWhole) break;
    }
    expect([...outcomes]).toEqual(["", "1,2"]);
  });

  it("replace nothing: one that is there refuses them all, and nothing is changed", async () => {
    const { project } = await restingLegion();
    const file = await archiveOf(project, ["1", "2"]);
    await enlist({ ...place, agent: "2" }, "{}");
    const before = await keys();
    await expect(imported(file)).rejects.toThrow(
      `already in the legion ${place.legion} at ${place.link.shown}: Agent 2; import into another legion there with \`--name <name>\``,
    );
    expect(await keys()).toEqual(before);
    await expect(imported(await archiveOf(project, ["2"]))).rejects.toThrow("`--as <id>` takes it in");
  });

  it("give way to one of their name that came while they were on their way", async () => {
    const { project } = await restingLegion();
    const file = await archiveOf(project, ["1", "2"]);
    const link: Link = {
      ...place.link,
      async run(script, names, args) {
        if (script.name === "arrive") await enlist({ ...place, agent: "2" }, "{}");
        return place.link.run(script, names, args);
      },
    };
    const arriving = receiveAt(
      createRedisBackend({ ...place, link }),
      await fromArchive(file, { readable: READABLE, authorship: await ownHand() }),
      READABLE,
    );
    await expect(arriving).rejects.toThrow("Agent 2 has come to be there meanwhile; nothing was changed");
    expect(await reader().known()).toEqual(["2"]);
    expect(await events("2")).toEqual([]);
  });

  it("come once where two bring them at the same time, and whole", async () => {
    const { project } = await restingLegion();
    const file = await archiveOf(project, ["2"]);
    const outcomes = await Promise.allSettled([imported(file), imported(file), imported(file)]);
    if (outcomes.every(({ status }) => status === "rejected")) await imported(file);
    expect(await reader().known()).toEqual(["2"]);
    expect(await events("2")).toEqual(await eventsOf(project, "2"));
  });

  it("bring along where in their mail the person's words stand", async () => {
    const world = await createWorld({ "1": {}, "2": {} });
    await world.stop();
    const later = await world.restart({ "1": {} });
    await later.say("2", "Later.");
    await later.idle();
    await later.stop();
    await imported(await archiveOf(world.project, ["2"]));
    const { mailbox, ahead } = agentKeys(place.legion, "2");
    const [[id] = []] = (await place.link.command("XRANGE", mailbox, "-", "+")) as [string, unknown][];
    expect(await place.link.command("ZRANGE", ahead, 0, -1)).toEqual([id!.slice("0-".length)]);
  });

  it("leave no trace of a damaged archive", async () => {
    const { project } = await restingLegion();
    const file = await archiveOf(project, ["1", "2"]);
    await writeFile(file, (await readFile(file, "utf8")).slice(0, -20));
    const folder = await temporaryFolder();
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(imported(file)).rejects.toMatchObject({ code: "DAMAGED" });
    expect(await keys()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("bring Control along where nobody has spoken: what it said is delivered there", async () => {
    const world = await createWorld({ "2": {} });
    await world.say("2", "First");
    await world.idle();
    await world.stop();
    await imported(await archiveOf(world.project, ["0", "2"]));
    const node = await openNode(server.url, place.legion, { "2": {} });
    expect(await node.say("2", "Second")).toEqual(["0>2#2"]);
    await node.idle();
    const said = (await node.kinds("2", "message")).map(({ message }) => message.content);
    expect(said).toEqual(["First", "Second"]);
    const again = imported(await archiveOf(world.project, ["0"]));
    await expect(again).rejects.toThrow(/already in the legion .*: Control; import into another legion/);
  });

  it("are delivered what Control had said to them and not delivered", async () => {
    const world = await createWorld({ "2": {} });
    await world.say("2", "First");
    await world.idle();
    await world.stop();
    const folder = join(world.project, AGENTS, "0/log");
    const [name] = await readdir(folder);
    const lines = (await readFile(join(folder, name!), "utf8")).split("\n");
    const said = lines.findIndex((line) => line.includes('"said"'));
    await writeFile(join(folder, name!), `${lines.slice(0, said + 1).join("\n")}\n`);
    await rm(join(world.project, AGENTS, "2"), { recursive: true });

    await imported(await archiveOf(world.project, ["0", "2"]));
    const node = await openNode(server.url, place.legion, { "2": {} });
    await until(async () => (await node.kinds("0", "sent")).length > 0);
    await node.idle();
    expect(await node.kinds("2", "message")).toMatchObject([{ message: { id: "0>2#1", content: "First" } }]);
  });

  it("have their past as history only under another name", async () => {
    const { project } = await restingLegion();
    await imported(await archiveOf(project, ["2"]), "twin");
    const copied = await events("twin");
    expect(copied.slice(0, -2)).toEqual(await eventsOf(project, "2"));
    expect(copied.at(-1)).toMatchObject({ kind: "branch", origin: "2" });
    const { spent, numbers, seen, taken } = await reader().ledger("twin");
    expect([spent.steps, numbers.size, seen.size, taken]).toEqual([0, 0, 0, 0]);
    const node = await openNode(server.url, place.legion, { twin: {} });
    expect(await node.say("twin", "Hello")).toEqual(["0>twin#1"]);
    await node.idle();
    expect(await node.kinds("twin", "message")).toHaveLength(2);
  });

  it("know what a person changed in their files, and leave behind what is no part of them", async () => {
    const { project } = await restingLegion();
    const folder = join(project, AGENTS, "2");
    await writeFile(join(folder, "goals.json"), '{"goals":[{"text":"Mine","complete":false}]}');
    await mkdir(join(folder, "drawings"));
    await writeFile(join(folder, "drawings/plan.txt"), "x");
    expect(await imported(await archiveOf(project, ["2"]))).toEqual([
      "left out drawings/plan.txt of Agent 2: Redis keeps no such files",
    ]);
    expect((await events("2")).at(-1)).toMatchObject({ kind: "edited", module: "goals" });
    const state = await reader().state("2", []);
    expect(state.modules.get("goals")?.get("goals")).toEqual([{ text: "Mine", complete: false }]);
  });

  it("are told once what of their past is damaged, and go on as one other log", async () => {
    const { project } = await restingLegion();
    const folder = join(project, AGENTS, "2/log");
    const [name] = await readdir(folder);
    const text = await readFile(join(folder, name!), "utf8");
    await writeFile(join(folder, name!), text.replace("Work", "W\u0001rk"));
    await imported(await archiveOf(project, ["2"]));
    expect((await events("2")).at(-1)).toMatchObject({ kind: "notice", reason: "gap" });
    for (const goes of ["on", "on again"]) {
      const node = await openNode(server.url, place.legion, { "2": {} });
      await node.say("2", goes);
      await node.idle();
      await node.stop();
    }
    const all = await events("2");
    expect(all.filter((event) => event.kind === "notice")).toHaveLength(1);
    expect(new Set(all.flatMap((event) => (event.kind === "opened" ? [event.log] : []))).size).toBe(2);
  });
});

/** A link that takes `count` more commands, and then none. */
function cutAfter(count: number, link: Link): Link {
  let left = count;
  const ask = <Asked extends readonly unknown[], T>(work: (...asked: Asked) => Promise<T>) => {
    return (...asked: Asked): Promise<T> =>
      left-- > 0 ? work(...asked) : Promise.reject(new LegionError("STORAGE", "out of reach"));
  };
  return { ...link, run: ask(link.run), command: ask(link.command), commandAll: ask(link.commandAll) };
}
