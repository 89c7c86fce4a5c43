import { afterEach, describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { openLink, type Link } from "../../../../src/storage/redis/connection/link.ts";
import type { LuaScript } from "../../../../src/storage/redis/connection/script.ts";
import { freezingProxy } from "../proxy.ts";
import { redisIsThere, startRedis, tell, until, type Server } from "../servers.ts";

const COUNT: LuaScript = { name: "count", keys: 1, lua: "return redis.call('INCR', KEYS[1])" };

describe.skipIf(!redisIsThere)("a link that is lost", () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  const start = async () => {
    const server = await startRedis();
    ends.push(() => server.stop());
    return server;
  };
  const proxyTo = async (server: Server) => {
    const proxy = await freezingProxy(server.port);
    ends.push(() => proxy.close());
    return proxy;
  };
  const open = async (url: string, commandTimeoutMs?: number) => {
    const link = await openLink(parseRedisAddress(url), { commandTimeoutMs });
    ends.push(() => link.close());
    return link;
  };
  const nextReturn = (link: Link) =>
    new Promise<void>((resolve) => {
      const stop = link.onReturn(() => {
        stop();
        resolve();
      });
    });

  it("rejects at once what is asked while the server is gone, and sends none of it later (U1, U2)", async () => {
    const server = await start();
    const link = await open(server.url);
    await link.run(COUNT, ["n"], []);
    const back = nextReturn(link);
    await server.kill("SIGSTOP");
    const inFlight = Array.from({ length: 10 }, () => link.run(COUNT, ["n"], []));
    const settled = Promise.allSettled(inFlight);
    await server.kill("SIGKILL");
    for (const { status, reason } of (await settled).map((one) => ({ reason: undefined, ...one }))) {
      expect(status).toBe("rejected");
      expect(reason).toMatchObject({
        code: "STORAGE",
        message: expect.stringMatching(
          /connection to \S+ was lost; whether what was asked last was done is not known/,
        ),
      });
    }
    await until(() => link.standing.state === "down");
    const asked = [
      link.run(COUNT, ["n"], []),
      link.command("INCR", "n"),
      link.listen("c", () => {}),
      link.incarnation(),
    ];
    for (const one of asked) await expect(one).rejects.toThrow(/^nothing was sent: /);
    await until(() => JSON.stringify(link.standing).includes("nothing answers at redis://127.0.0.1"));
    await server.restart();
    await back;
    expect(link.standing).toEqual({ state: "up" });
    expect(await link.command("GET", "n")).toBe("1");
  });

  it("is another incarnation after a restart, and the same one after a mere cut", async () => {
    const server = await start();
    const proxy = await proxyTo(server);
    const link = await open(proxy.url);
    const first = await link.incarnation();
    expect(first).toMatch(/^[0-9a-f]{40}$/);
    let back = nextReturn(link);
    proxy.cut();
    await back;
    expect(await link.incarnation()).toBe(first);
    back = nextReturn(link);
    await server.restart();
    await back;
    expect(await link.incarnation()).not.toBe(first);
  });

  it("listens to every channel again before it says that it is back (U3)", async () => {
    const server = await start();
    const link = await open(server.url);
    const heard: string[] = [];
    for (const channel of ["a", "b"]) await link.listen(channel, (text) => heard.push(channel + text));
    const stop = await link.listen("stopped", (text) => heard.push(text));
    const returned = new Promise<void>((resolve) => {
      link.onReturn(() => {
        for (const channel of ["a", "b", "stopped"]) link.hint(channel, "!");
        resolve();
      });
    });
    await server.kill();
    await until(() => link.standing.state === "down");
    stop();
    await server.restart();
    await returned;
    await until(() => heard.length === 2);
    expect(heard).toEqual(["a!", "b!"]);
  });

  it("gives up a connection on which nothing arrives, says what is not known, and comes back", async () => {
    const server = await start();
    const proxy = await proxyTo(server);
    const link = await open(proxy.url, 200);
    await link.run(COUNT, ["n"], []);
    const back = nextReturn(link);
    proxy.freeze();
    await expect(link.run(COUNT, ["n"], [])).rejects.toThrow(
      /does not answer in time.*whether what was asked last was done is not known/,
    );
    await until(() => link.standing.state === "down");
    expect(link.standing).toMatchObject({ reason: expect.stringContaining("does not answer in time") });
    proxy.thaw();
    await back;
    // It had been sent, and was done when the network was whole again: exactly what was said.
    await until(async () => (await link.command("GET", "n")) === "2");
  });

  it("notices a dead connection on which nothing is asked", async () => {
    const proxy = await proxyTo(await start());
    const link = await open(proxy.url, 100);
    proxy.freeze();
    await until(() => link.standing.state === "down");
    const back = nextReturn(link);
    proxy.thaw();
    await back;
  });

  it("works on a slow network", async () => {
    const server = await start();
    const proxy = await proxyTo(server);
    proxy.delay(50);
    const link = await open(proxy.url);
    const answers = await Promise.all(Array.from({ length: 100 }, () => link.run(COUNT, ["n"], [])));
    expect(answers.at(-1)).toBe(100);
    expect(link.standing).toEqual({ state: "up" });
  });

  it("looks for the master again when its own has become a replica", async () => {
    const [server, other] = [await start(), await start()];
    const link = await open(server.url);
    await tell(server.port, "REPLICAOF", "127.0.0.1", other.port);
    await expect(link.run(COUNT, ["n"], [])).rejects.toThrow(
      /is a read-only replica: give the address of its master/,
    );
    await until(() => JSON.stringify(link.standing).includes("is a read-only replica"));
    const back = nextReturn(link);
    await tell(server.port, "REPLICAOF", "NO", "ONE");
    await back;
    expect(await link.run(COUNT, ["n"], [])).toBe(1);
  });

  it("can be closed while it is down", async () => {
    const server = await start();
    const link = await open(server.url);
    await server.kill();
    await until(() => link.standing.state === "down");
    await link.close();
    await expect(link.command("GET", "n")).rejects.toThrow("nothing was sent");
  });
});
