import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../src/storage/redis/connection/address.ts";
import { openLink, type Link } from "../../../src/storage/redis/connection/link.ts";
import { redisIsThere, startSentinel, tell, until, type Watched } from "./servers.ts";

describe.skipIf(!redisIsThere)("a link through Sentinels", () => {
  let watched: Watched;
  const links: Link[] = [];
  const open = async (query = "") => {
    const link = await openLink(parseRedisAddress(watched.url + query));
    links.push(link);
    return link;
  };
  beforeAll(async () => {
    watched = await startSentinel();
  });
  afterEach(() => Promise.all(links.splice(0).map((link) => link.close())));
  afterAll(() => watched.stop());

  it("finds the master by its name, or the only one there is", async () => {
    for (const query of ["", "?master=legion"]) {
      const link = await open(query);
      expect(await link.commandAll("PING")).toEqual([
        { server: `127.0.0.1:${watched.master.port}`, reply: "PONG" },
      ]);
    }
    await expect(open("?master=other")).rejects.toThrow("know legion: write one of them as ?master=");
  });

  it("goes on with the replica when the master dies, as another incarnation", async () => {
    const link = await open("/2");
    const heard: string[] = [];
    await link.listen("c", (text) => heard.push(text));
    await link.command("SET", "k", "v");
    expect(await tell(watched.master.port, "WAIT", 1, 5_000)).toBe(1);
    const before = await link.incarnation();
    const back = new Promise((resolve) => link.onReturn(resolve));
    await watched.master.kill();
    await back;
    expect(await link.incarnation()).not.toBe(before);
    expect(await link.command("GET", "k")).toBe("v");
    await link.command("SET", "k", "w");
    link.hint("c", "again");
    await until(() => heard.includes("again"));
    expect(await link.commandAll("PING")).toEqual([
      { server: `127.0.0.1:${watched.replica.port}`, reply: "PONG" },
    ]);
  });
});
