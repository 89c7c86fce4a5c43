import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { openLink, type Link } from "../../../../src/storage/redis/connection/link.ts";
import type { LuaScript } from "../../../../src/storage/redis/connection/script.ts";
import { redisIsThere, startRedis, tell, until, type Server } from "../servers.ts";

const COUNT: LuaScript = { name: "count", keys: 1, lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])" };

describe.skipIf(!redisIsThere)("a link to one server", () => {
  let server: Server;
  const links: Link[] = [];
  const open = async (url = server.url) => {
    const link = await openLink(parseRedisAddress(url));
    links.push(link);
    return link;
  };

  beforeAll(async () => {
    server = await startRedis();
  });
  afterEach(async () => {
    await Promise.all(links.splice(0).map((link) => link.close()));
    await tell(server.port, "FLUSHALL");
  });
  afterAll(() => server.stop());

  it("runs scripts, in the order in which they were asked for", async () => {
    const link = await open();
    await link.run(COUNT, ["n"], [0]);
    const sums = await Promise.all(Array.from({ length: 1_000 }, () => link.run(COUNT, ["n"], [1])));
    expect(sums).toEqual(Array.from({ length: 1_000 }, (_, at) => at + 1));
  });

  it("runs a script that Redis has forgotten in the middle, and runs it once", async () => {
    const link = await open();
    await link.run(COUNT, ["n"], [1]);
    await tell(server.port, "SCRIPT", "FLUSH");
    const asked = Array.from({ length: 100 }, () => link.run(COUNT, ["n"], [1]));
    await Promise.all(asked);
    expect(await link.command("GET", "n")).toBe("101");
  });

  it("takes texts as they are, whatever is in them", async () => {
    const link = await open();
    const text = 'line\r\n$5\r\n"ü\u0000\u{1f600}';
    await link.command("SET", "k", text);
    expect(await link.command("GET", "k")).toBe(text);
    await link.command("HSET", "h", "a", 1, "b", 2);
    expect(await link.command("HGETALL", "h")).toEqual(["a", "1", "b", "2"]);
  });

  it("uses the database of the address", async () => {
    const link = await open(`${server.url}/3`);
    await link.command("SET", "k", "v");
    expect(await link.command("GET", "k")).toBe("v");
    expect(await (await open()).command("GET", "k")).toBeNull();
  });

  it("hears what is said on a channel from when it listens to when it stops", async () => {
    const [link, other] = [await open(), await open()];
    const heard: string[] = [];
    const stop = await link.listen("c", (text) => heard.push(`one ${text}`));
    const stopToo = await link.listen("c", (text) => heard.push(`two ${text}`));
    other.hint("c", "a");
    await until(() => heard.length === 2);
    stop();
    stop();
    other.hint("c", "b");
    await until(() => heard.length === 3);
    stopToo();
    expect(await other.command("PUBLISH", "c", "c")).toBe(0);
    expect(heard).toEqual(["one a", "two a", "two b"]);
  });

  it("keeps as many channels apart as there are agents, on one connection", async () => {
    const link = await open();
    const heard: string[] = [];
    const names = Array.from({ length: 500 }, (_, at) => `c${at}`);
    await Promise.all(names.map((name) => link.listen(name, (text) => heard.push(`${name} ${text}`))));
    for (const name of names) link.hint(name, "hello");
    await until(() => heard.length === names.length);
    expect(heard).toEqual(names.map((name) => `${name} hello`));
    const clients = String(await tell(server.port, "CLIENT", "LIST")).match(/name=ai-legion/g);
    expect(clients).toHaveLength(2);
  });

  it("says what a full memory refused, and that nothing was taken", async () => {
    const link = await open();
    await tell(server.port, "CONFIG", "SET", "maxmemory", "1");
    try {
      const full = `${link.shown} is out of memory and took nothing: raise maxmemory`;
      await expect(link.run(COUNT, ["n"], [1])).rejects.toThrow(full);
      await expect(link.command("SET", "k", "v")).rejects.toMatchObject({ code: "STORAGE" });
      expect(await link.command("GET", "n")).toBeNull();
    } finally {
      await tell(server.port, "CONFIG", "SET", "maxmemory", "0");
    }
    expect(await link.run(COUNT, ["n"], [1])).toBe(1);
  });

  it("quotes what nobody thought of, without what was asked", async () => {
    const link = await open();
    const broken: LuaScript = { name: "broken", keys: 1, lua: "error('\\27[31mred')" };
    const error: unknown = await link
      .run(broken, ["k"], ["my secret mail"])
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "STORAGE",
      message: expect.stringMatching(/^redis:\S+ says: .* \[31mred/),
    });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("mail");
    expect(error).toMatchObject({ cause: expect.not.objectContaining({ command: expect.anything() }) });
  });

  it("tells a server that must not be asked by its first word", async () => {
    await tell(
      server.port,
      "ACL",
      "SETUSER",
      "weak",
      "on",
      ">pw",
      "+info",
      "+ping",
      "+client",
      "+select",
      "~*",
    );
    const link = await open(server.url.replace("//", "//weak:pw@"));
    await expect(link.command("SET", "k", "v")).rejects.toThrow("the user may not do that");
    await expect(link.listen("c", () => {})).rejects.toThrow("the user may not do that");
  });

  it("answers what was asked before it was closed, and nothing after", async () => {
    const link = await open();
    const asked = Promise.all(Array.from({ length: 100 }, () => link.run(COUNT, ["n"], [1])));
    await link.close();
    expect(await asked).toHaveLength(100);
    await expect(link.command("GET", "n")).rejects.toThrow(
      "nothing was sent: this process has closed the link",
    );
    link.hint("c", "nobody");
  });
});
