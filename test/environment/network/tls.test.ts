import { createServer } from "node:https";
import { beforeAll, describe, expect, it } from "vitest";
import { createCertificates, type Certificates, type Identity } from "./certificates.ts";
import { failureOf, get, namesOf, openNetwork, serve, startRaw, startSite } from "./web.ts";

let certificates: Certificates;
beforeAll(() => {
  certificates = createCertificates();
});

const names = { allowPrivate: ["127.0.0.1"], lookup: namesOf({ "site.test": ["127.0.0.1"] }) };
const trusting = () => ({ ...names, authorities: [certificates.authority] });

function startSecure(identity: Identity) {
  return serve(
    createServer({ ...identity }, ({ socket }, response) =>
      response.end("servername" in socket ? String(socket.servername) : ""),
    ),
    "127.0.0.1",
  );
}

describe("https", () => {
  it.each([
    ["site.test", "site.test"],
    ["site.test.", "site.test"],
    ["127.0.0.1", "false"],
  ])("reaches %s and names it to the server as %s", async (host, servername) => {
    const site = await startSecure(certificates.good);
    const closed = site.closed();
    const page = await get(openNetwork(trusting()), `https://${host}:${site.port}/`);
    expect(Buffer.from(page.body).toString()).toBe(servername);
    await closed;
  });

  it("is read as it comes, too", async () => {
    const site = await startSecure(certificates.good);
    const network = openNetwork(trusting());
    const request = { signal: new AbortController().signal, method: "GET", connectMs: 10_000 } as const;
    const { body } = await network.open(`https://site.test:${site.port}/`, request);
    expect(await new Response(body).text()).toBe("site.test");
    const stranger = openNetwork(names).open(`https://site.test:${site.port}/`, request);
    expect((await failureOf(stranger)).code).toBe("NETWORK");
  });

  it("is left for http where a redirect says so, without what may be secret", async () => {
    const plain = await startSite((_request, response) => response.end("plain"));
    const secure = await serve(
      createServer({ ...certificates.good }, (_request, response) =>
        response
          .writeHead(302, {
            location: `http://site.test:${plain.port}/`,
            "set-cookie": ["a=1; Secure", "b=2"],
          })
          .end(),
      ),
      "127.0.0.1",
    );
    const headers = { authorization: "s" };
    const page = await get(openNetwork(trusting()), `https://site.test:${secure.port}/`, { headers });
    expect(page.url).toBe(`http://site.test:${plain.port}/`);
    expect(plain.asked[0]!.headers).toMatchObject({ cookie: "b=2" });
    expect(plain.asked[0]!.headers.authorization).toBeUndefined();
  });

  const bad = [
    ["expired", "The certificate of % has expired."],
    ["ofAnotherHost", "The certificate of % was made for other hosts."],
    ["selfSigned", "The certificate of % is self-signed."],
  ] as const;
  it.each(bad)("refuses a certificate that is %s, and says so", async (kind, message) => {
    const site = await startSecure(certificates[kind]);
    const error = await failureOf(get(openNetwork(trusting()), `https://site.test:${site.port}/`));
    expect(error).toMatchObject({
      code: "NETWORK",
      message: message.replace("%", `\`site.test:${site.port}\``),
    });
  });

  it("refuses a certificate of an authority that nobody knows", async () => {
    const site = await startSecure(certificates.good);
    const error = await failureOf(get(openNetwork(names), `https://site.test:${site.port}/`));
    expect(error.message).toBe(
      `The certificate of \`site.test:${site.port}\` is signed by an authority that is not known here.`,
    );
  });

  it("checks the certificate of an address, too", async () => {
    const site = await startSecure(certificates.ofAnotherHost);
    const error = await failureOf(get(openNetwork(trusting()), `https://127.0.0.1:${site.port}/`));
    expect(error.message).toContain("was made for other hosts");
  });

  it("tells a server that speaks http", async () => {
    const site = await startSite((_request, response) => response.end());
    const error = await failureOf(get(openNetwork(trusting()), `https://site.test:${site.port}/`));
    expect(error).toMatchObject({
      code: "NETWORK",
      message: expect.stringContaining("does not speak TLS") as string,
    });
  });

  it.each([
    ["hangs up", (end: () => void) => end(), "hung up without a whole answer"],
    ["says nothing", () => {}, "took longer than 50ms"],
  ])("tells a server that %s before it is secure", async (_, answer, message) => {
    const server = await startRaw((socket) => {
      socket.once("data", () => answer(() => socket.end()));
    });
    const closed = server.closed();
    const url = `https://site.test:${server.port}/`;
    const error = await failureOf(
      get(openNetwork(trusting()), url, { timeoutMs: message.includes("50") ? 50 : 10_000 }),
    );
    expect(error.message).toContain(message);
    await closed;
  });
});
