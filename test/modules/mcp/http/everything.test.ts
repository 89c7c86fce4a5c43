import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createMcp } from "../../../../modules/mcp/index.ts";
import { readServers } from "../../../../modules/mcp/config/read.ts";
import type { Offer } from "../../../../modules/mcp/tools/offer.ts";
import type { NodeHost } from "../../../../src/domain/authoring/host.ts";
import { unwrapOutside } from "../../../../src/domain/authoring/outside.ts";
import { createClock } from "../../../../src/base/clock.ts";
import { closedPremises } from "../../../../src/legion/hosting/shared-host.ts";
import { createTestHost } from "../../test-host.ts";
import { openNetwork, UNSAID } from "../kit.ts";

const SERVER = join(
  import.meta.dirname,
  "../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The public server in one of its modes; it listens. */
async function startEverything(
  mode: "streamableHttp" | "sse",
): Promise<{ readonly port: number; readonly kill: () => void }> {
  const port = await freePort();
  const env = { PATH: process.env["PATH"], PORT: String(port) };
  const child = spawn(process.execPath, [SERVER, mode], { env, stdio: ["ignore", "ignore", "pipe"] });
  const kill = (): void => void child.kill("SIGKILL");
  onTestFinished(kill);
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += String(chunk)));
  await vi.waitFor(() => expect(said).toContain(`port ${port}`), { timeout: 20_000, interval: 20 });
  return { port, kill };
}

/** An agent's word to it. */
async function open(type: "http" | "sse", url: string) {
  const module = createMcp();
  const closers: (() => void | Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of closers) await close();
  });
  const node: NodeHost = {
    ...closedPremises(() => Promise.reject(new Error("nothing there"))),
    network: openNetwork(),
    clock: createClock(),
    onClose: (close) => void closers.push(close),
  };
  const settings: Record<string, unknown> = {};
  const { host, root, file } = createTestHost(module, { node, settings });
  file(".mcp.json", JSON.stringify({ mcpServers: { all: { type, url } } }));
  Object.assign(settings, {
    servers: () => readServers({ project: root, variables: {} }),
    trusted: [],
    confinement: UNSAID,
    isAllowed: () => Promise.resolve(true),
    pinned: (_: unknown, now: unknown) => Promise.resolve(now),
  });
  const offer = (await module.offers!.find(host)) as Offer;
  const actions = module.offers!.actions!(offer);
  const act = async (name: string, given: unknown = {}) => {
    const { outcome, content } = await actions[name]!.execute(given, { ...host, offer });
    return { outcome, content: unwrapOutside(content).trim() };
  };
  return { act, names: Object.keys(actions) };
}

/** What each tool is given, and a part of what it answers. */
const CALLS: Readonly<Record<string, readonly [given: object, answer: string]>> = {
  echo: [{ message: "hi" }, "Echo: hi"],
  "get-annotated-message": [{ messageType: "error" }, "Error"],
  "get-env": [{}, "PORT"],
  "get-resource-links": [{ count: 1 }, "Resource demo://"],
  "get-resource-reference": [{ resourceType: "Text", resourceId: 1 }, "Resource demo://"],
  "get-structured-content": [{ location: "New York" }, "temperature"],
  "get-sum": [{ a: 1, b: 2 }, "3"],
  "get-tiny-image": [{}, "(image image/png"],
  "gzip-file-as-resource": [{ name: "a.gz", data: "data:text/plain,hi", outputType: "resource" }, "a.gz"],
  "toggle-simulated-logging": [{}, "Started"],
  "toggle-subscriber-updates": [{}, "Started"],
  "trigger-long-running-operation": [{ duration: 0.2, steps: 2 }, "completed"],
  // It can only be asked for as a task, which is an extension of the protocol that we do without.
  "simulate-research-query": [{ topic: "x" }, "requires task augmentation"],
};

describe("server-everything over HTTP", () => {
  it.each([
    ["streamableHttp", "http", "/mcp"],
    ["sse", "sse", "/sse"],
  ] as const)(
    "%s: every tool is listed and called",
    async (mode, type, path) => {
      const { port } = await startEverything(mode);
      const { act, names } = await open(type, `http://127.0.0.1:${port}${path}`);
      expect(names.filter((name) => name.startsWith("all__")).sort()).toEqual(
        Object.keys(CALLS)
          .map((name) => `all__${name}`)
          .sort(),
      );
      for (const [name, [given, answer]] of Object.entries(CALLS)) {
        const { outcome, content } = await act(`all__${name}`, given);
        expect(content).toContain(answer);
        expect(outcome).toBe(answer === "requires task augmentation" ? "error" : "ok");
      }
      const { content } = await act("listResources", { server: "all" });
      const [uri = ""] = content.split(" ");
      expect((await act("readResource", { server: "all", uri })).content).toContain("# ");
      expect((await act("usePrompt", { server: "all", name: "simple-prompt" })).outcome).toBe("ok");
    },
    60_000,
  );

  it.each([
    ["streamableHttp", "http", "/mcp"],
    ["sse", "sse", "/sse"],
  ] as const)(
    "%s: killed in the middle of a call, that fails at once",
    async (mode, type, path) => {
      const { port, kill } = await startEverything(mode);
      const { act } = await open(type, `http://127.0.0.1:${port}${path}`);
      const call = act("all__trigger-long-running-operation", { duration: 50, steps: 50 });
      // One answer says that the call before it has arrived.
      await act("all__echo", { message: "hi" });
      kill();
      expect((await call).content).toMatch(/^The MCP server all went while it was asked: /);
      expect((await act("all__echo", { message: "hi" })).content).toContain(
        "The MCP server all is away and is being started again: ",
      );
    },
    30_000,
  );
});
