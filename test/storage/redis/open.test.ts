import { createServer as createHttpServer } from "node:http";
import { createServer, type Server as NetServer } from "node:net";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../src/storage/redis/connection/address.ts";
import { mayPass } from "../../../src/storage/redis/connection/faults.ts";
import { openLink } from "../../../src/storage/redis/connection/link.ts";
import { freePort } from "./keeper.ts";
import { freezingProxy } from "./proxy.ts";
import { redisIsThere, startRedis, tell, until, type ServerOptions } from "./servers.ts";

describe.skipIf(!redisIsThere)("opening a link", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  const start = async (options?: ServerOptions) => {
    const server = await startRedis(options);
    ends.push(() => server.stop());
    return server;
  };
  const listen = async (server: NetServer) => {
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    return port;
  };
  const open = async (url: string, commandTimeoutMs?: number) => {
    const link = await openLink(parseRedisAddress(url), { commandTimeoutMs });
    ends.push(() => link.close());
    return link;
  };
  const refusal = async (url: string, commandTimeoutMs?: number) => {
    const error: unknown = await open(url, commandTimeoutMs).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "STORAGE" });
    const message = error instanceof Error ? error.message : "";
    return {
      message,
      passes: mayPass(error),
      whole: JSON.stringify(error, Object.getOwnPropertyNames(error)),
    };
  };

  it("says that nothing answers, or that nobody knows the name", async () => {
    const port = await freePort();
    expect(await refusal(`redis://127.0.0.1:${port}`)).toMatchObject({
      message: `nothing answers at redis://127.0.0.1:${port}/0: start Redis there, or correct the address`,
      passes: true,
    });
    const unknown = await refusal("redis://nobody.invalid");
    expect(unknown.passes).toBe(true);
    expect(unknown.message).toMatch(/redis:\/\/nobody\.invalid:6379\/0/);
  });

  it("says what is wrong with a password, and shows none", async () => {
    const { url, port } = await start({ config: ["requirepass right"] });
    expect(await refusal(url)).toMatchObject({
      message: expect.stringContaining("wants a password"),
      passes: false,
    });
    const wrong = await refusal(url.replace("//", "//:wr0ng@"));
    expect(wrong).toMatchObject({
      message: expect.stringContaining("does not accept the user or the password"),
      passes: false,
    });
    expect(wrong.whole).not.toContain("wr0ng");
    expect((await refusal(url.replace("//", "//nobody:right@"))).message).toContain(
      "does not accept the user",
    );
    const link = await open(url.replace("//", "//:right@"));
    expect(link.shown).toBe(`redis://127.0.0.1:${port}/0`);
    expect(await link.command("GET", "k")).toBeNull();
  });

  it("says what is wrong with TLS, by its kind", async () => {
    const { url, authority, dir } = await start({ tls: "only" });
    const untrusted = await refusal(url);
    expect(untrusted).toMatchObject({ message: expect.stringContaining("?ca=<file>"), passes: false });
    const asked = await open(`${url}/1?ca=${encodeURIComponent(authority)}`);
    await asked.command("SET", "k", "v");
    expect(await asked.command("GET", "k")).toBe("v");
    await open(`${url.replace("127.0.0.1", "localhost")}?ca=${encodeURIComponent(authority)}`);
    const plain = await refusal(url.replace("rediss", "redis"));
    expect(plain.message).toContain("it may want TLS (rediss://)");
    await expect(open(`${url}?ca=${encodeURIComponent(join(dir, "absent"))}`)).rejects.toMatchObject({
      code: "USAGE",
    });
    writeFileSync(join(dir, "empty"), "no certificate");
    expect((await refusal(`${url}?ca=${encodeURIComponent(join(dir, "empty"))}`)).passes).toBe(false);
  });

  it("says that a server does not speak TLS, or does not answer", async () => {
    const { port } = await start();
    expect(await refusal(`rediss://127.0.0.1:${port}`, 200)).toMatchObject({
      message: expect.stringContaining("it does not speak TLS (redis://)"),
      passes: true,
    });
    const proxy = await freezingProxy(port);
    ends.push(() => proxy.close());
    proxy.freeze();
    expect(await refusal(proxy.url, 200)).toMatchObject({
      message: `redis://127.0.0.1:${proxy.port}/0 does not answer in time: it is overloaded or stopped, or the network in between is cut`,
      passes: true,
    });
  });

  it("takes no database that is not there for another one", async () => {
    const { url } = await start();
    expect(await refusal(`${url}/99`)).toMatchObject({
      message: expect.stringContaining("/99 has no database of that number"),
      passes: false,
    });
  });

  it("refuses a replica, and what is no Redis or too old a one", async () => {
    const [master, replica] = [await start(), await start()];
    await tell(replica.port, "REPLICAOF", "127.0.0.1", master.port);
    expect(await refusal(replica.url)).toMatchObject({
      message: expect.stringContaining("is a read-only replica"),
      passes: false,
    });
    const web = await listen(createHttpServer());
    expect(await refusal(`redis://127.0.0.1:${web}`)).toMatchObject({
      message: `what answers at redis://127.0.0.1:${web}/0 is not Redis: correct the address`,
      passes: false,
    });
    const old = await listen(createServer((socket) => answerLikeRedis(socket, "6.2.14")));
    expect(await refusal(`redis://127.0.0.1:${old}`)).toMatchObject({
      message: `redis://127.0.0.1:${old}/0 is Redis 6.2.14: AI Legion needs 7.0 or newer`,
      passes: false,
    });
  });

  it("refuses several hosts and a master's name where one server answers", async () => {
    const { url, port } = await start();
    expect((await refusal(`${url},localhost:${port}`)).message).toContain(
      "is a single server: give one host",
    );
    expect((await refusal(`${url}?master=legion`)).message).toContain("is no Sentinel");
  });

  it("says that a server is still loading its data", async () => {
    const server = await start({ config: ["key-load-delay 400"] });
    const link = await open(server.url);
    await Promise.all(Array.from({ length: 5_000 }, (_, at) => link.command("SET", `k${at}`, "v")));
    await link.close();
    await server.kill();
    const restarted = server.restart();
    await until(async () => {
      const { message, passes } = await refusal(server.url);
      expect(passes).toBe(true);
      return message.includes("is still loading its data");
    });
    await restarted;
    expect(await (await open(server.url)).command("GET", "k4999")).toBe("v");
  });
});

function answerLikeRedis(socket: NodeJS.ReadWriteStream, version: string): void {
  const info = `redis_version:${version}\r\nredis_mode:standalone\r\nrole:master\r\nloading:0\r\n`;
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    for (const command of chunk
      .toString()
      .toLowerCase()
      .match(/\r\n(?:hello|info|client|select)\r\n/g) ?? []) {
      socket.write(command.includes("info") ? `$${info.length}\r\n${info}\r\n` : "+OK\r\n");
    }
  });
}
