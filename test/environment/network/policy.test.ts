import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNetwork, type ClosableNetwork } from "../../../src/environment/network/network.ts";
import { BROKEN_HOSTS, PRIVATE_HOSTS, PRIVATE_NAMES } from "./hosts.ts";
import { credentialOf } from "./proxy/proxy-client.ts";
import { failureOf, get, namesOf, openNetwork, startSite, startTrap } from "./web.ts";

/** What comes of an attempt: the reason why there was none, or what the server said. */
type Attempt = (network: ClosableNetwork, host: string, port: number) => Promise<string>;

const fetched: Attempt = async (network, host, port) => {
  const page = await get(network, `http://${host}:${port}/`).catch((error: unknown) => error);
  return page instanceof Error ? page.message : Buffer.from((page as { body: Uint8Array }).body).toString();
};
const tunnelled: Attempt = (network, host, port) => throughProxy(network, `CONNECT ${host}:${port} HTTP/1.1`);
const forwarded: Attempt = (network, host, port) =>
  throughProxy(network, `GET http://${host}:${port}/ HTTP/1.1`);

async function throughProxy(network: ClosableNetwork, line: string): Promise<string> {
  const proxy = await network.openProxy({ maxBytes: 1_000_000 });
  onTestFinished(() => proxy.close());
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.write(
    `${line}\r\nhost: x\r\nproxy-authorization: ${credentialOf(proxy)}\r\nconnection: close\r\n\r\n`,
  );
  let answer = "";
  // A tunnel stays open.
  socket.once("data", (chunk: Buffer) => {
    if (/^HTTP.1.1 200 Connection/.test(chunk.toString())) {
      socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    }
  });
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, "close");
  if (!answer.startsWith("HTTP/1.1 403")) return answer;
  expect(proxy.refused()).toEqual([answer.split("\r\n\r\n")[1]]);
  return proxy.refused()[0]!;
}

const WAYS: readonly (readonly [name: string, attempt: Attempt])[] = [
  ["fetch", fetched],
  ["the proxy, by CONNECT", tunnelled],
  ["the proxy, by a whole URL", forwarded],
];

describe("hostile: SSRF", () => {
  describe.each(WAYS)("by %s", (_, attempt) => {
    it.each(PRIVATE_HOSTS)("does not connect to %s (H2)", async (host) => {
      const trap = await startTrap();
      const network = openNetwork({ lookup: namesOf(PRIVATE_NAMES) });
      const why = await attempt(network, host, trap.port);
      // A request line is read as Latin-1, where a wide digit is none.
      const isReadable = attempt === fetched || /^[\x21-\x7e]*$/.test(host);
      if (isReadable)
        expect(why).toMatch(/(web\.allowPrivate in \.ai-legion|which is no address\.|no setting opens\.)/);
      expect(why).not.toContain("SECRET");
      expect(trap.connections()).toBe(0);
    });

    it.each(BROKEN_HOSTS)("does not make a host of %s", async (host) => {
      const trap = await startTrap();
      const why = await attempt(
        openNetwork({ lookup: () => Promise.resolve(["127.0.0.1"]) }),
        host,
        trap.port,
      );
      expect(why).not.toContain("SECRET");
      expect(trap.connections()).toBe(0);
    });

    it.each([0, 22, 25, 6000, 6379, 11211])("refuses port %i, though the host is allowed", async (port) => {
      expect(await attempt(openNetwork({ allowPrivate: ["127.0.0.1"] }), "127.0.0.1", port)).toBe(
        `Port ${port} of \`127.0.0.1\` is refused: no pages are served there.`,
      );
    });

    const notAllowed = [
      ["site.test", "127.0.0.1"],
      ["site.test", "other.test"],
      ["site.test", "sub.site.test"],
      ["site.test:81", "site.test"],
      ["127.0.0.1:81", "127.0.0.1"],
      ["127.0.0.2", "127.0.0.1"],
      ["10.0.0.0/8", "127.0.0.1"],
      ["::1", "127.0.0.1"],
      ["::/0", "127.0.0.1"],
      ["127.0.0.1", "two.test"],
    ] as const;
    it.each(notAllowed)("takes %s in allowPrivate for no leave to reach %s (H2)", async (entry, host) => {
      const trap = await startTrap();
      const one = ["127.0.0.1"];
      const network = openNetwork({
        allowPrivate: [entry],
        lookup: namesOf({
          "site.test": one,
          "other.test": one,
          "sub.site.test": one,
          "two.test": [...one, "10.0.0.1"],
        }),
      });
      expect(await attempt(network, host, trap.port)).toContain("web.allowPrivate");
      expect(trap.connections()).toBe(0);
    });

    it.each([
      ["169.254.169.254", "169.254.169.254"],
      ["169.254.0.0/16", "0xa9fea9fe"],
      ["0.0.0.0/0", "169.254.170.2"],
      ["0.0.0.0/0", "168.63.129.16"],
      ["::/0", "[fd00:ec2::254]"],
      ["wiki.test", "wiki.test"],
    ])(
      "takes %s in allowPrivate for no leave to reach the metadata of a cloud as %s (H2)",
      async (entry, host) => {
        const network = openNetwork({
          allowPrivate: [entry],
          lookup: namesOf({ "wiki.test": ["169.254.169.254"] }),
        });
        expect(await attempt(network, host, 80)).toMatch(
          /is the metadata service of a cloud, which no setting opens\.$/,
        );
      },
    );

    it("connects to the addresses that were checked, whatever the name server says next (H1)", async () => {
      const site = await startSite((_request, response) => response.end("welcome"));
      let asked = 0;
      const network = openNetwork({
        allowPrivate: ["127.0.0.1"],
        lookup: () => Promise.resolve([asked++ === 0 ? "127.0.0.1" : "127.0.0.2"]),
      });
      expect(await attempt(network, "site.test", site.port)).toContain("welcome");
      expect([asked, site.asked[0]!.address]).toEqual([1, "127.0.0.1"]);
      expect(await attempt(network, "site.test", site.port)).toContain("127.0.0.2");
      expect(site.connections()).toBe(1);
    });

    it("connects to none of our own proxies, though the host is allowed (H3)", async () => {
      const network = openNetwork({
        allowPrivate: ["127.0.0.1", "site.test"],
        lookup: namesOf({ "site.test": ["127.0.0.1"] }),
      });
      const other = await network.openProxy({ maxBytes: 1 });
      for (const host of ["127.0.0.1", "site.test"]) {
        expect(await attempt(network, host, Number(new URL(other.url).port))).toMatch(
          /^A proxy of this process/,
        );
      }
    });
  });
});

describe.each(WAYS)("%s", (_, attempt) => {
  const allowed = [
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.1", "2130706433"],
    ["127.0.0.1", "[::ffff:127.0.0.1]"],
    ["127.0.0.1", "site.test"],
    ["127.0.0.0/8", "site.test"],
    ["0.0.0.0/0", "127.0.0.1"],
    ["site.test", "site.test"],
    ["Site.Test.", "SITE.test."],
    ["site.test:PORT", "site.test"],
    ["127.0.0.1:PORT", "site.test"],
  ] as const;
  it.each(allowed)("lets what allowPrivate says, %s, be reached as %s", async (entry, host) => {
    const site = await startSite((_request, response) => response.end("welcome"));
    const network = openNetwork({
      allowPrivate: [entry.replace("PORT", String(site.port))],
      lookup: namesOf({ "site.test": ["127.0.0.1"] }),
    });
    expect(await attempt(network, host, site.port)).toContain("welcome");
  });
});

it("tells what a name stands for and who can allow it", async () => {
  const network = openNetwork({ lookup: namesOf({ "wiki.corp": ["10.0.0.5"] }) });
  expect(await failureOf(get(network, "https://wiki.corp/"))).toMatchObject({
    code: "REFUSED",
    message:
      "`wiki.corp` resolves to 10.0.0.5, which is a private address: only the person can allow it, under web.allowPrivate in .ai-legion/config.yaml.",
  });
  expect((await failureOf(get(network, "http://0x7f.1/"))).message).toMatch(
    /^127\.0\.0\.1 is an address of this machine: /,
  );
});

it("resolves names as the operating system does", async () => {
  const site = await startSite((_request, response) => response.end("welcome"));
  const named = createNetwork({ allowPrivate: [`localhost:${site.port}`] });
  onTestFinished(() => named.close());
  expect((await get(named, `http://localhost:${site.port}/`)).status).toBe(200);
  const unnamed = createNetwork({ allowPrivate: [] });
  onTestFinished(() => unnamed.close());
  expect((await failureOf(get(unnamed, `http://localhost:${site.port}/`))).code).toBe("REFUSED");
  expect((await failureOf(get(unnamed, `http://${"a".repeat(300)}/`))).code).toBe("NETWORK");
  expect(site.connections()).toBe(1);
});

it("is not made with an entry that says nothing", () => {
  expect(() => createNetwork({ allowPrivate: ["localhost", "http://x"] })).toThrow("`http://x` is no place");
});
