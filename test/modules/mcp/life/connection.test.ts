import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Connection } from "../../../../modules/mcp/life/connection.ts";
import { lookAt } from "../../../../modules/mcp/look.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { createTempProject } from "../../../temp-project.ts";
import { connect, fake, isAlive, linesIn, localPrograms, NEVER, openNetwork, UNSAID } from "../kit.ts";

const call = (connection: Connection, name: string, given: Record<string, unknown> = {}, signal = NEVER) =>
  connection.use((client) => client.callTool({ name, arguments: given }, { signal, timeout: 60_000 }));
const why = ({ standing }: Connection): string => ("why" in standing ? standing.why : "");
const until = (connection: Connection, state: string) =>
  vi.waitFor(() => expect(connection.standing.state).toBe(state), { timeout: 10_000, interval: 5 });

describe("a server of this machine", () => {
  it("is started, answers, and gets nothing of our environment but what every program needs", async () => {
    const { connection } = connect(fake("none"));
    expect(connection.standing.state).toBe("starting");
    await connection.settled(NEVER);
    expect(connection.standing.state).toBe("ready");
    expect(await call(connection, "echo", { a: 1 })).toMatchObject({ content: [{ text: '{"a":1}' }] });
    const { content } = await call(connection, "environment");
    const { PATH, ...rest } = JSON.parse(content[0]?.type === "text" ? content[0].text : "") as Record<
      string,
      string
    >;
    expect(PATH).toBe(process.env["PATH"]);
    expect(Object.keys(rest)).toEqual(["LEGION_RUN"]);
  });

  it("L1: that goes fails the calls that run at once, and is started again after a second", async () => {
    const { connection, clock } = connect(fake("none"));
    await connection.settled(NEVER);
    const waiting = call(connection, "wait");
    await expect(call(connection, "exit")).rejects.toThrow(
      "The MCP server fake went while it was asked: It exited with code 7. It printed nothing.",
    );
    await expect(waiting).rejects.toThrow("went while it was asked");
    await expect(call(connection, "echo")).rejects.toThrow(
      "The MCP server fake is away and is being started again: It exited with code 7.",
    );
    await clock.asleep();
    expect(clock.sleeping()).toEqual([1_000]);
    clock.advance(1_000);
    await until(connection, "ready");
    expect(await call(connection, "echo")).toMatchObject({ content: [{ text: "{}" }] });
    expect(connection.restarts).toBe(1);
  });

  it("is tried again after a failed first attempt, later each time, and given up in the end", async () => {
    const { connection, clock } = connect(fake("exits"));
    await connection.settled(NEVER);
    expect(connection.standing.state).toBe("restarting");
    expect(why(connection)).toBe("It exited with code 3. It printed at last: no key for the weather");
    const pauses: number[] = [];
    const state = (): string => connection.standing.state;
    while (state() !== "away") {
      await vi.waitFor(() => expect(["restarting", "away"]).toContain(state()), {
        timeout: 10_000,
      });
      if (state() === "away") break;
      await vi.waitFor(() => expect(clock.sleeping().length).toBe(1), { timeout: 10_000, interval: 5 });
      const [pause] = clock.sleeping();
      if (pause === 10_000) continue;
      pauses.push(pause!);
      const before = connection.restarts;
      clock.advance(pause!);
      await vi.waitFor(() => expect(connection.restarts).toBe(before + 1), { timeout: 10_000, interval: 1 });
      const since = connection.standing.sinceMs;
      await vi.waitFor(() => expect(connection.standing.sinceMs).toBeGreaterThan(since), {
        timeout: 10_000,
        interval: 5,
      });
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
    expect(clock.sleeping()).toEqual([]);
    await expect(call(connection, "echo")).rejects.toThrow(
      "is away; it went, or did not start, 8 times in a row: It exited",
    );
    expect(await clock.asleep()).toBe(60_000);
  });

  it("L3: nobody waits for a later attempt than the first", async () => {
    const { connection } = connect(fake("exits in silence"));
    await connection.settled(NEVER);
    expect(why(connection)).toBe("It exited with code 1. It printed nothing.");
    await connection.settled(NEVER);
    const stop = new AbortController();
    const { connection: mute } = connect(fake("mute"));
    stop.abort();
    await mute.settled(stop.signal);
    expect(mute.standing.state).toBe("starting");
  });

  it("is not ended by a call that is cancelled, and does not have to listen to that", async () => {
    const { connection } = connect(fake("none"));
    await connection.settled(NEVER);
    const stop = new AbortController();
    const waiting = call(connection, "wait", {}, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow();
    expect(await call(connection, "echo")).toMatchObject({ content: [{ text: "{}" }] });
    expect(connection.restarts).toBe(0);
  });

  it("L2: is not started again by a shutdown, whenever that comes", async () => {
    const file = join(await createTempProject(), "starts");
    const { connection, clock } = connect(fake("notes its start", file));
    await connection.settled(NEVER);
    await call(connection, "exit").catch(() => undefined);
    await connection.close();
    clock.advance(60_000);
    expect(connection.standing).toMatchObject({ state: "away", why: "The legion is stopping." });
    await expect(call(connection, "echo")).rejects.toThrow("The legion is stopping.");
    expect(linesIn(file)).toEqual(["started"]);
    const { connection: early } = connect(fake("mute"));
    await early.close();
    expect(early.standing.state).toBe("away");
  });

  it.each(["children", "children that outlive it"])("is ended with all that it started: %s", async (vice) => {
    const file = join(await createTempProject(), "pids");
    const { connection } = connect(fake(vice, file));
    await connection.settled(NEVER);
    const [pid] = linesIn(file).map(Number);
    expect(isAlive(pid!)).toBe(true);
    await connection.close();
    expect(isAlive(pid!)).toBe(false);
  });

  it("that dies leaves nothing of what it started", async () => {
    const file = join(await createTempProject(), "pids");
    const { connection } = connect(fake("children", file));
    await connection.settled(NEVER);
    await call(connection, "exit").catch(() => undefined);
    const [pid] = linesIn(file).map(Number);
    await vi.waitFor(() => expect(isAlive(pid!)).toBe(false), { timeout: 10_000 });
  });
});

describe("hostile: MCP", () => {
  it.each([
    [
      "missing",
      { ...fake("none"), way: { ...fake("none").way, command: "no-such-program" } },
      /^There is no program "no-such-program"/,
    ],
    ["exiting", fake("exits"), /^It exited with code 3\. It printed at last: no key/],
    ["printing 100 MB as one line", fake("one long line"), /^It sent a message of more than 16 MB\./],
    ["printing prose for ever", fake("prose for ever"), /^It printed more than 1 MB that is no message/],
  ])("a server that is %s is away, with the reason", async (_, program, reason) => {
    const { connection } = connect(program);
    await connection.settled(NEVER);
    expect(why(connection)).toMatch(reason);
  });

  it("a server that is mute is away after ten seconds, with what it printed", async () => {
    const { connection, clock } = connect(fake("mute"));
    await clock.asleep(10_000);
    clock.advance(10_000);
    await connection.settled(NEVER);
    expect(why(connection)).toBe("It did not answer within 10 s. It printed nothing.");
  });

  it("a server that is mute keeps a person who allows it waiting for ten seconds, and not for twice as long", async () => {
    const clock = createHandClock();
    const place = { clock, network: openNetwork(), programs: localPrograms(), confinement: UNSAID };
    const looking = lookAt({ ...fake("mute"), hash: "0", says: "", place: "", project: "/" }, place);
    looking.catch(() => undefined);
    await clock.asleep(10_000);
    clock.advance(10_000);
    await expect(looking).rejects.toThrow("It did not answer within 10 s.");
  });

  it("a server that prints prose between its messages is understood", async () => {
    const { connection } = connect(fake("prose"));
    await connection.settled(NEVER);
    expect(await call(connection, "echo")).toMatchObject({ content: [{ text: "{}" }] });
  });

  it("a server that ends at a newer protocol is asked for the older one", async () => {
    const { connection, clock } = connect(fake("exits when asked for a newer protocol"));
    await connection.settled(NEVER);
    expect(connection.standing.state).toBe("restarting");
    await clock.asleep(1_000);
    clock.advance(1_000);
    await until(connection, "ready");
  });

  it("a server that answers wrong ids fails its calls when their time is over, and nothing else", async () => {
    const { connection } = connect(fake("wrong ids"));
    await connection.settled(NEVER);
    const late = connection.use((client) => client.callTool({ name: "echo" }, { timeout: 50 }));
    await expect(late).rejects.toThrow(/timed out/i);
    expect(connection.standing.state).toBe("ready");
  });

  it("a server that asks without end, and hears no answer, has gone", async () => {
    const { connection } = connect(fake("asks without end, and hears nothing"));
    await connection.settled(NEVER);
    await expect(call(connection, "echo")).rejects.toThrow("It asks more at a time than is answered.");
  });

  it("a server that is deaf to its end is ended", async () => {
    const { connection } = connect(fake("deaf to its end"));
    await connection.settled(NEVER);
    await connection.close();
    expect(connection.standing.state).toBe("away");
  });
});
