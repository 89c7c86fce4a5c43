import { request } from "node:http";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { legion } from "../../legion.ts";
import { buildProgram, run, runToEnd } from "../../program.ts";
import { callsOf } from "./programs.ts";

beforeAll(buildProgram, 120_000);

interface Listening {
  readonly project: string;
  readonly url: URL;
  readonly token: string;
  readonly home: string;
  readonly said: string;
  end(): Promise<number | null>;
}

async function listen(files: Readonly<Record<string, string>> = {}): Promise<Listening> {
  const project = await createTempProject(files);
  const home = await createTempProject();
  const node = run(["mcp", "serve", "--http", "0"], { cwd: project, env: { XDG_CONFIG_HOME: home } });
  let said = "";
  await new Promise<void>((resolve) =>
    node.child.stderr.on("data", (text: string) => {
      said += text;
      if (said.includes("\n")) resolve();
    }),
  );
  const [, url = "", token = ""] =
    /MCP at (\S+); the token, which is kept in \S+, is (\S+)\n/.exec(said) ?? [];
  return {
    ...{ project, home, said, token, url: new URL(url) },
    async end() {
      node.child.kill("SIGTERM");
      return (await node.ended).code;
    },
  };
}

async function connectTo({ url, token }: Listening, mode: "auto" | "legacy") {
  const client = new Client({ name: "a program", version: "1" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

function ask({ url, token }: Listening, more: object = {}, body: string | Buffer = PING, path = "/mcp") {
  const headers = {
    host: url.host,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...more,
  };
  return new Promise<number>((resolve) => {
    let status = 0;
    const asked = request(
      { host: "127.0.0.1", port: url.port, path, method: "POST", headers },
      (response) => {
        status = response.statusCode ?? 0;
        response.resume().on("close", () => resolve(status));
      },
    );
    // Whoever is refused may be cut off while it still sends.
    asked.on("error", () => resolve(status));
    asked.end(body);
  });
}

describe("legion mcp serve --http", { timeout: 60_000 }, () => {
  it.each(["auto", "legacy"] as const)(
    "serves programs of both eras (%s), from one start to the next",
    async (mode) => {
      const listening = await listen();
      const client = await connectTo(listening, mode);
      const { call } = callsOf(client);
      const { agent, after } = await call("spawn", { task: "note a: b", id: "one" });
      expect(await call("wait", { agent, after, seconds: 30 })).toMatchObject({ over: "message" });
      const again = await connectTo(listening, mode);
      expect(await callsOf(again).call("spawn", { task: "note a: b", id: "one" })).toMatchObject({
        agent,
        repeated: true,
      });
      expect((await legion(["ps", "--json"], { cwd: listening.project })).json).toMatchObject([
        { id: agent },
      ]);
      expect(await listening.end()).toBe(0);
    },
  );

  it("tells how far it is with a program that waits", async () => {
    const client = await connectTo(await listen(), "auto");
    const { call } = callsOf(client);
    const { agent } = await call("spawn", { task: "note a: b" });
    const steps: object[] = [];
    const waited = await client.callTool(
      { name: "wait", arguments: { agent, after: 1_000_000, seconds: 30 } },
      { onprogress: (step) => void steps.push(step) },
    );
    expect(waited.structuredContent).toMatchObject({ over: "rests" });
    expect(steps).toMatchObject([
      { progress: 0, total: 30, message: expect.stringContaining(`${agent as string} is `) },
    ]);
  });

  it("keeps its token for its owner alone, and says it once", async () => {
    const listening = await listen();
    expect(listening.said).toContain(listening.token);
    expect((await stat(join(listening.home, "ai-legion/mcp-token"))).mode & 0o777).toBe(0o600);
    await listening.end();
    const options = { cwd: listening.project, env: { XDG_CONFIG_HOME: listening.home } };
    const second = run(["mcp", "serve", "--http", "0"], options);
    await new Promise((resolve) => second.child.stderr.once("data", resolve));
    second.child.kill("SIGTERM");
    const { code, err, out } = await second.ended;
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toMatch(/^legion: MCP at http:\/\/127.0.0.1:\d+\/mcp; the token is in \S+mcp-token\n$/);
  });

  it("hears only who has the token and comes from this machine, and reads no more than a message (K5)", async () => {
    const listening = await listen();
    const { port } = listening.url;
    const large = Buffer.alloc(100 * 1_048_576, 32);
    // It hears that, or has been cut off by then.
    const refused = (given: number) => (given === 0 || given === 413 ? "refused" : given);
    const status: Record<string, number | string> = {
      "as it should be": await ask(listening),
      "by another name of this machine": await ask(listening, { host: `localhost:${port}` }),
      "from a page of this machine": await ask(listening, { origin: "http://localhost:3000" }),
      "without a token": await ask(listening, { authorization: "" }),
      "with another token": await ask(listening, { authorization: `Bearer ${"x".repeat(43)}` }),
      "with the token in another way": await ask(listening, { authorization: `Basic ${listening.token}` }),
      "under a foreign name": await ask(listening, { host: `evil.example:${port}` }),
      "from a page of another machine": await ask(listening, { origin: "https://evil.example" }),
      "from no page that has a name": await ask(listening, { origin: "null" }),
      "at another path": await ask(listening, {}, PING, "/v1/say"),
      "with 100 MB": refused(await ask(listening, {}, large)),
      "with 100 MB that it does not announce": await ask(
        listening,
        { "transfer-encoding": "chunked" },
        large,
      ),
      "with no JSON": await ask(listening, {}, "{"),
      "afterwards, as it should be": await ask(listening),
    };
    expect(status).toMatchInlineSnapshot(`
      {
        "afterwards, as it should be": 200,
        "as it should be": 200,
        "at another path": 404,
        "by another name of this machine": 200,
        "from a page of another machine": 403,
        "from a page of this machine": 200,
        "from no page that has a name": 403,
        "under a foreign name": 403,
        "with 100 MB": "refused",
        "with 100 MB that it does not announce": 413,
        "with another token": 401,
        "with no JSON": 400,
        "with the token in another way": 401,
        "without a token": 401,
      }
    `);
  });

  it.each([
    [["mcp", "serve", "--http", "65536"], 2, /expected a port from 0 \(any\) to 65535, not "65536"/],
    [["mcp", "serve", "--http", "x"], 2, /expected a port/],
    [["mcp", "--http", "1"], 2, /--http belongs to `legion mcp serve`/],
    [["mcp", "serve", "--run", "task"], 2, /programs have agents in the project's own legion/],
    [["mcp", "serve", "--dir", "/nowhere"], 2, /there is no folder/],
  ])("refuses %j", async (words, code, why) => {
    const ended = await runToEnd(words, { cwd: await createTempProject() });
    expect(ended).toMatchObject({ code, out: "" });
    expect(ended.err).toMatch(why);
  });

  it("says that a port is taken", async () => {
    const { url } = await listen();
    const ended = await runToEnd(["mcp", "serve", "--http", url.port], { cwd: await createTempProject() });
    expect(ended).toMatchObject({ code: 1, out: "" });
    expect(ended.err).toMatch(/^legion: port \d+: listen EADDRINUSE/);
  });
});
