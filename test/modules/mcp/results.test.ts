import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStdio } from "../../../modules/mcp/life/stdio.ts";
import { createMcp } from "../../../modules/mcp/index.ts";
import type { Offer } from "../../../modules/mcp/tools/offer.ts";
import { toResult } from "../../../modules/mcp/tools/result.ts";
import { readServers } from "../../../modules/mcp/config/read.ts";
import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import { unwrapOutside } from "../../../src/domain/authoring/outside.ts";
import { closedPremises } from "../../../src/legion/hosting/shared-host.ts";
import { createHandClock } from "../../hand-clock.ts";
import { createTestHost } from "../test-host.ts";
import { NEVER, serverPlace, UNSAID } from "./kit.ts";

const SERVER = join(import.meta.dirname, "sdk-server.mjs");

/** An agent's word to a server as its authors would write it. */
async function open() {
  const module = createMcp();
  const closers: (() => void | Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of closers) await close();
  });
  const node: NodeHost = {
    ...closedPremises(() => Promise.reject(new Error("nothing there"))),
    clock: createHandClock(),
    onClose: (close) => void closers.push(close),
  };
  const settings: Record<string, unknown> = {};
  const { host, root, file } = createTestHost(module, { node, settings });
  file(".mcp.json", JSON.stringify({ mcpServers: { sdk: { command: process.execPath, args: [SERVER] } } }));
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
    const result = await actions[name]!.execute(given, { ...host, offer });
    return { ...result, content: unwrapOutside(result.content).trim() };
  };
  return { act, root, offer, actions, instructions: module.instructions!({ ...host, offer }) };
}

const program = {
  name: "sdk",
  way: { kind: "stdio", command: process.execPath, args: [SERVER], env: {}, cwd: "/" },
} as const;

describe("what a server answers", () => {
  it("is the same conversation in both eras of the protocol", async () => {
    const versions = await Promise.all(
      [0, 1].map(async (failed) => {
        const place = serverPlace(createHandClock());
        const link = await openStdio(program, place, { signal: NEVER, failed, connectMs: 10_000 });
        const answer = await link.client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
        expect(answer.content).toEqual([{ type: "text", text: "3" }]);
        const version = link.client.getNegotiatedProtocolVersion();
        await link.end();
        return version;
      }),
    );
    expect(versions).toEqual(["2026-07-28", "2025-11-25"]);
  });

  it("is text, and an error where the server says so", async () => {
    const { act } = await open();
    expect(await act("sdk__add", { a: 1, b: 2 })).toMatchObject({
      outcome: "ok",
      content: "3",
      taint: ["MCP server sdk"],
    });
    expect(await act("sdk__fails")).toMatchObject({ outcome: "error", content: "no such city" });
    expect(await act("sdk__throws")).toMatchObject({ outcome: "error", content: "out of order" });
    expect(await act("sdk__says_nothing")).toMatchObject({
      outcome: "ok",
      content: "(It answered nothing.)",
    });
  });

  it("taints as a refusal, too, and stands between markers there", async () => {
    const { act } = await open();
    const refused = await act("readResource", { server: "sdk", uri: "test://none" });
    expect(refused).toMatchObject({ outcome: "error", taint: ["MCP server sdk"] });
    expect(refused.content).toContain("test://none");
  });

  it("is kept beside the log where it is no text, and described", async () => {
    const { act, root } = await open();
    const path = (hex: string) =>
      `.ai-legion/agents/1/blobs/${createHash("sha256").update(Buffer.from(hex, "hex")).digest("hex")}`;
    const [dot, zip] = [path("89504e470d0a"), path("00010203")];
    expect((await act("sdk__draws")).content).toBe(`A dot:\n\n(image image/png, 6 bytes, kept in ${dot})`);
    expect((await act("readResource", { server: "sdk", uri: "test://bytes" })).content).toBe(
      `Resource test://bytes: (file application/zip, 4 bytes, kept in ${zip})`,
    );
    expect(readFileSync(join(root, dot)).toString("hex")).toBe("89504e470d0a");
  });

  it("is JSON where it is structured and has no text, and stands in the details", async () => {
    const { act } = await open();
    expect(await act("sdk__counts")).toMatchObject({ content: '{"n":7}', details: { n: 7 } });
  });

  it("comes of resources and prompts, too", async () => {
    const { act, instructions } = await open();
    expect(instructions).toContain("- sdk: 6 tools, resources, prompts\n  - prompt greet(who): Greets");
    expect((await act("listResources", { server: "sdk" })).content).toBe(
      "test://readme - About it\ntest://bytes - bytes",
    );
    expect((await act("readResource", { server: "sdk", uri: "test://readme" })).content).toContain(
      "Read me.",
    );
    expect(
      (await act("usePrompt", { server: "sdk", name: "greet", arguments: { who: "Ada" } })).content,
    ).toBe("Greet Ada.");
    await expect(act("readResource", { server: "none", uri: "x" })).rejects.toThrow(
      'There is no MCP server "none"; there are: sdk.',
    );
  });
});

it("hostile: MCP: a server that answers with 100,000 images fills no disk", async () => {
  let files = 0;
  const keep = () => Promise.resolve(`${files++}`);
  const image = { type: "image", mimeType: "image/png", data: "iVBORw==" } as const;
  const { content } = await toResult(
    "sdk",
    { content: Array.from({ length: 100_000 }, () => image) },
    { keep },
  );
  expect(files).toBe(1_000);
  expect(content).toContain("(99000 more parts are left out.)");
});
