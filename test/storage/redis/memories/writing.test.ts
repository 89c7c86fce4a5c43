import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Memories } from "../../../../src/storage/contract/memory/memories.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import { createRedisMemories } from "../../../../src/storage/redis/memories/memories.ts";
import { agentKeys, legionKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { createRedactor } from "../../../../src/base/redaction/redactor.ts";
import { context, entry, eventsOf, ID } from "../../contract/memory/memory-letters.ts";
import { numbers } from "../../../mail/letter.ts";
import { openTestLink } from "../members.ts";
import { newLegion } from "../places.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";
import { expectFolded, textsOf } from "./memories-place.ts";

let server: Server;
let legion: string;
/** Of four processes. */
let links: readonly Link[];
let nodes: readonly [Memories, Memories, ...Memories[]];

beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());
beforeEach(async () => {
  legion = newLegion();
  links = await Promise.all(numbers(4).map(() => openTestLink(server.url)));
  const [first, second, ...more] = links.map((link) => createRedisMemories({ link, legion, now: () => 0 }));
  nodes = [first!, second!, ...more];
});

/** One that tells what is asked of it before it is. */
function watched(link: Link, asked: (name: string) => void): Link {
  return {
    ...link,
    get standing() {
      return link.standing;
    },
    run(script, keys, args) {
      asked(script.name);
      return link.run(script, keys, args);
    },
  };
}

describe.skipIf(!redisIsThere)("a memory in Redis that many nodes write to", () => {
  it("holds each entry once and in its sender's order, though every node offers all of them at once (M5)", async () => {
    const senders = ["a", "b", "c"];
    const told = nodes.flatMap((node) =>
      senders.flatMap((from) => numbers(150).map((n) => node.receive(ID, entry(n, { from })))),
    );
    const statuses = (await Promise.all(told)).map(({ status }) => status);
    expect(statuses.filter((status) => status === "accepted")).toHaveLength(450);
    expect(statuses.filter((status) => status === "duplicate")).toHaveLength(3 * 450);
    const texts = await textsOf(nodes[0]);
    expect(texts).toHaveLength(450);
    for (const from of senders)
      expect(texts.filter((text) => text.startsWith(from))).toEqual(numbers(150).map((n) => `${from} ${n}`));
    expect(await expectFolded(nodes[1])).toMatchObject({ entries: 450, last: 451 });
  });

  it("has the person's words in their order also where another node brings the second one first (M5)", async () => {
    const [one, two] = nodes;
    expect(await two.receive(ID, entry(2, { from: "0" }))).toEqual({ status: "gap", expected: 1 });
    for (const node of [one, two]) for (const n of [1, 2]) await node.receive(ID, entry(n, { from: "0" }));
    expect(await textsOf(one)).toEqual(["0 1", "0 2"]);
  });

  it("has one keeper, however many claim it at the same moment (M6)", async () => {
    const claims = nodes.map((node, index) => node.receive(ID, context(1, { from: `scribe-${index}` })));
    await Promise.all(claims);
    const events = await eventsOf(nodes[0]);
    expect(events.filter(({ kind }) => kind === "kept")).toHaveLength(1);
    expect(await expectFolded(nodes[0])).toMatchObject({ strays: nodes.length - 1, contexts: [3] });
  });

  it("says at once how it stands, whatever was sent, kept and forgotten in between", async () => {
    const [one, two] = nodes;
    for (const n of numbers(30))
      await one.receive(ID, n % 3 ? entry(n, { from: "a" }) : context(n, { from: n % 2 ? "a" : "b" }));
    await two.receive(ID, entry(1, { from: "c", details: "no record" }));
    await two.change(ID, async () => [
      { kind: "kept", by: "b" },
      { kind: "context", mail: 0, from: "", by: "0", content: "# By hand", upTo: 3 },
    ]);
    await expectFolded(two);
    const { contexts } = await two.read(ID).standing();
    const seqs = [2, 3, contexts[0]!];
    await one.change(ID, async () => [{ kind: "forgotten", seqs, entries: 2, by: "0" }]);
    const standing = await expectFolded(one);
    expect(standing.contexts).not.toContain(contexts[0]);
    await Promise.all(numbers(1_001).map((n) => one.receive(ID, context(n, { from: "0" }))));
    expect((await expectFolded(two)).contexts).toHaveLength(1_000);
    expect(standing.at).toBe("1970-01-01T00:00:00.000Z");
  });

  it("has a change decided anew where another node wrote meanwhile, and shows it one state of the memory", async () => {
    const [here, there] = nodes;
    await here.receive(ID, entry(1));
    const shown: number[][] = [];
    await here.change(ID, async ({ last }, reader) => {
      if (shown.length < 3) await there.receive(ID, entry(shown.length + 2));
      const seqs: number[] = [];
      for await (const { seq } of reader.events()) seqs.push(seq);
      expect((await reader.standing()).last).toBe(last);
      shown.push(seqs);
      return [{ kind: "kept", by: "a" }];
    });
    expect(shown).toEqual([
      [1, 2],
      [1, 2, 3],
      [1, 2, 3, 4],
      [1, 2, 3, 4, 5],
    ]);
    expect((await eventsOf(here)).map(({ kind }) => kind).slice(-2)).toEqual(["entry", "kept"]);
  });

  it("gives a change up, and adds nothing of it, where others write whenever it is decided", async () => {
    const [here, there] = nodes;
    let n = 0;
    const never = here.change(ID, async () => {
      await there.receive(ID, entry(++n));
      return [{ kind: "kept", by: "a" }];
    });
    await expect(never).rejects.toMatchObject({ code: "STORAGE" });
    expect(await expectFolded(here)).toMatchObject({ last: n + 1 });
    expect((await here.read(ID).standing()).keeper).toBeUndefined();
  });

  it("makes two changes of two nodes at once, one after the other", async () => {
    await nodes[0].receive(ID, entry(1));
    const keep = (node: Memories, by: string) => node.change(ID, async () => [{ kind: "kept", by }]);
    await Promise.all(nodes.map((node, index) => keep(node, `k${index}`)));
    expect((await eventsOf(nodes[0])).filter(({ kind }) => kind === "kept")).toHaveLength(nodes.length);
  });

  it("hides the person's secrets in what they change", async () => {
    const redactor = createRedactor([{ name: "KEY", value: "sk-0123456789abcdef" }]);
    const memories = createRedisMemories({ link: links[0]!, legion, redactor });
    await memories.change(ID, async () => [
      { kind: "context", mail: 0, from: "", by: "0", content: "my sk-0123456789abcdef", upTo: 0 },
    ]);
    expect((await eventsOf(memories)).at(-1)).toMatchObject({ content: "my [redacted:KEY]" });
  });
});

describe.skipIf(!redisIsThere)("which memories a legion has", () => {
  it("is told of one before anything is written to it, and shows it once something is", async () => {
    const listed: unknown[] = [];
    const link = watched(links[0]!, () => {
      listed.push(links[1]!.command("SMEMBERS", legionKeys(legion).memories));
    });
    const memories = createRedisMemories({ link, legion });
    await links[0]!.command("SADD", legionKeys(legion).memories, "main/empty");
    expect(await memories.known()).toEqual([]);
    await memories.receive("main/z", entry(1));
    await memories.receive("main/a", entry(1));
    expect(((await listed[0]) as string[]).toSorted()).toEqual(["main/empty", "main/z"]);
    expect(await nodes[1].known()).toEqual(["main/a", "main/z"]);
  });

  it("is said anew after the link was lost: the list is on another server, which may have lost its end", async () => {
    let back = (_incarnation: string): void => undefined;
    const link: Link = { ...links[0]!, onReturn: (listener) => ((back = listener), () => undefined) };
    const memories = createRedisMemories({ link, legion });
    await memories.receive(ID, entry(1));
    await links[0]!.command("DEL", legionKeys(legion).memories);
    back("another");
    await memories.receive(ID, entry(2));
    expect(await memories.known()).toEqual([ID]);
  });
});

describe.skipIf(!redisIsThere)("a memory in Redis that others write to, too", () => {
  it("is none where no memory can have such a name", async () => {
    const { memories } = legionKeys(legion);
    for (const id of ["main", "../x/y", "a/b/c", "\u001b[31m/x", "", "0", "main/x}"]) {
      await links[0]!.command("SADD", memories, id);
      await links[0]!.command("XADD", agentKeys(legion, id).log, "0-1", "e", "{}", "p", 1);
    }
    await nodes[0].receive(ID, entry(1));
    expect(await nodes[1].known()).toEqual([ID]);
    expect(() => nodes[0].read("main/..")).toThrow(expect.objectContaining({ code: "USAGE" }));
  });

  it("takes whatever a sender calls itself and its log, and lets nobody pay for another's mail", async () => {
    const [memories] = nodes;
    const logs = ['"}{', "__proto__", "a\nb", "}:x", "' .. redis.call('FLUSHALL') .. '", "\0", " "];
    const sent = logs.map((log) => memories.receive(ID, entry(1, { log, from: "}{'\"\\" })));
    const nameless = entry(1, { log: "nameless" });
    const bad = memories.receive(ID, { ...nameless, message: { ...nameless.message, id: "none" } });
    await expect(bad).rejects.toMatchObject({ code: "REFUSED" });
    for (const receipt of await Promise.all(sent)) expect(receipt).toEqual({ status: "accepted" });
    const events = (await eventsOf(memories)).slice(1);
    expect(events.map((event) => event.kind === "entry" && event.from)).toEqual(logs);
    await expectFolded(memories);
  });

  it("gives no words that are not those that were written", async () => {
    const [memories] = nodes;
    const { words, log, meta } = agentKeys(legion, ID);
    for (const n of numbers(3)) await memories.receive(ID, entry(n));
    await links[0]!.command("HSET", words, 3, '{"raw":"obey me","summary":"","tags":{}}');
    await links[0]!.command("HSET", words, 5, '{"raw":"obey me"}');
    const planted = { kind: "entry", mail: 4, from: "l", by: "x", role: "user", words: "1:../../x" };
    await links[0]!.command("XADD", log, "0-5", "e", JSON.stringify(planted), "p", 1);
    await links[0]!.command("HSET", meta, "seq", 5);
    expect(await textsOf(memories)).toEqual(["x 1", "", "x 3", ""]);
    await links[0]!.command("XADD", log, "0-6", "e", "{", "p", 1);
    await expect(eventsOf(memories)).rejects.toMatchObject({ code: "DAMAGED" });
  });
});

describe.skipIf(!redisIsThere)("much in a memory in Redis", () => {
  it("is ten thousand entries, each there, and read from any number on", async () => {
    const count = 10_000;
    const offered = numbers(count).map((n) =>
      nodes[n % 2]!.receive(ID, entry(Math.ceil(n / 2), { from: `s${n % 2}` })),
    );
    await Promise.all(offered);
    const events = await eventsOf(nodes[2]!);
    expect(events.map(({ seq }) => seq)).toEqual(numbers(count + 1));
    expect(events.slice(1).every((event) => event.kind === "entry" && event.raw !== "")).toBe(true);
    expect(await expectFolded(nodes[3]!)).toMatchObject({ entries: count });
    expect(await eventsOf(nodes[0], count - 1)).toEqual(events.slice(count - 2));
    expect(await eventsOf(nodes[0], count + 2)).toEqual([]);
  });

  it("is read while it grows and is forgotten: nothing twice, nothing left out, in order", async () => {
    const [memories, other] = nodes;
    for (const n of numbers(100)) await memories.receive(ID, entry(n));
    const read: number[] = [];
    const texts: string[] = [];
    for await (const event of memories.read(ID).events()) {
      read.push(event.seq);
      if (event.kind === "entry") texts.push(event.raw);
      if (event.seq === 10) await other.receive(ID, entry(101));
      if (event.seq === 11)
        await other.change(ID, async () => [{ kind: "forgotten", seqs: [100], entries: 1, by: "0" }]);
    }
    expect(read).toEqual(numbers(103));
    expect(texts).toEqual(numbers(101).map((n) => (n === 99 ? "" : `x ${n}`)));
  });

  it("comes in replies of bounded length, however long the words are", async () => {
    const longest: number[] = [];
    const link: Link = {
      ...links[0]!,
      async command(name, ...args) {
        const reply = await links[0]!.command(name, ...args);
        if (name === "HMGET") longest.push(JSON.stringify(reply).length);
        return reply;
      },
    };
    const memories = createRedisMemories({ link, legion });
    const content = "x".repeat(700_000);
    for (const n of numbers(12)) await memories.receive(ID, entry(n, { content }));
    expect((await textsOf(memories)).every((text) => text === content)).toBe(true);
    expect(Math.max(...longest)).toBeLessThan(1_500_000);
  });
});
