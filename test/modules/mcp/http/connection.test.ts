import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Connection } from "../../../../modules/mcp/life/connection.ts";
import { NEVER } from "../kit.ts";
import { call, connect, siteOf, startMcp, why, type Vice } from "./kit.ts";

const PATIENCE = { timeout: 10_000, interval: 5 };
const until = (connection: Connection, state: string) =>
  vi.waitFor(() => expect(connection.standing.state).toBe(state), PATIENCE);

describe("a server behind a URL", () => {
  it("is greeted, answers, and its session is ended with the connection", async () => {
    const server = await startMcp();
    const headers = { Authorization: "Bearer of-mine" };
    const { connection } = connect(siteOf(`${server.url}/mcp`, { headers }));
    await connection.settled(NEVER);
    expect(connection.standing.state).toBe("ready");
    expect(await call(connection, "echo")).toMatchObject({ content: [{ text: '{"a":1}' }] });
    expect(server.sessions.size).toBe(1);
    await connection.close();
    expect(server.sessions.size).toBe(0);
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(
      server.asked.map(() => "Bearer of-mine"),
    );
  });

  it.each<[string, Vice]>([
    ["as it should", () => false],
    [
      "as many do",
      ({ message, request, response }, { sessions }) => {
        const session = String(request.headers["mcp-session-id"]);
        if (message?.method === "initialize" || sessions.has(session)) return false;
        return Boolean(response.writeHead(400).end("Bad Request: No valid session ID provided"));
      },
    ],
  ])(
    "L1: that forgets its session, and says so %s, fails the calls that run at once, and is greeted again",
    async (_, vice) => {
      const server = await startMcp(vice);
      const { connection, clock } = connect(siteOf(server.url));
      await connection.settled(NEVER);
      const waiting = call(connection, "wait");
      await vi.waitFor(() => expect(server.asked.at(-1)!.body).toContain('"wait"'), PATIENCE);
      server.sessions.clear();
      const sentence = "The MCP server fake went while it was asked: It has forgotten the session.";
      await expect(call(connection, "echo")).rejects.toThrow(sentence);
      await expect(waiting).rejects.toThrow(sentence);
      expect(connection.standing.state).toBe("restarting");
      await clock.asleep(1_000);
      clock.advance(1_000);
      await until(connection, "ready");
      expect(await call(connection, "echo")).toMatchObject({ content: [{ text: '{"a":1}' }] });
      expect(connection.restarts).toBe(1);
    },
  );

  it("answers many calls at a time, and leaves nothing behind", async () => {
    const warnings: string[] = [];
    const hear = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", hear);
    onTestFinished(() => void process.off("warning", hear));
    const server = await startMcp();
    const { connection } = connect(siteOf(server.url));
    await connection.settled(NEVER);
    const answers = await Promise.all(Array.from({ length: 40 }, () => call(connection, "echo")));
    expect(answers).toHaveLength(40);
    const open = () => new Promise((resolve) => server.server.getConnections((_, count) => resolve(count)));
    await vi.waitFor(async () => expect(await open()).toBe(0), PATIENCE);
    expect(warnings).toEqual([]);
  });

  it("that does not answer is away, with the reason", async () => {
    const { connection } = connect(siteOf("http://127.0.0.1:2/mcp"));
    await connection.settled(NEVER);
    expect(why(connection)).toBe("`127.0.0.1:2` refuses connections.");
  });

  it.each<[string, Vice]>([
    ["listens", () => false],
    ["is deaf to it", ({ message }) => message?.method === "notifications/cancelled"],
  ])("R2: is not left by a call that is cancelled, which waits for nothing more: it %s", async (_, vice) => {
    const server = await startMcp(vice);
    const { connection } = connect(siteOf(server.url));
    await connection.settled(NEVER);
    const stop = new AbortController();
    const waiting = call(connection, "wait", stop.signal);
    await vi.waitFor(() => expect(server.asked.at(-1)!.body).toContain('"wait"'), PATIENCE);
    const closed = server.closed();
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow();
    await closed;
    expect(await call(connection, "echo")).toMatchObject({ content: [{ text: '{"a":1}' }] });
    expect(connection.restarts).toBe(0);
  });
});
