import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { system } from "../../../modules/system/index.ts";
import { isRunningAs, lasting } from "../../environment/environment-contract.ts";
import { createTestHost, type TestHost } from "../test-host.ts";

/** One that waits for nothing. */
const createAgent = (): TestHost => createTestHost(system, { signal: AbortSignal.abort() });

/** However long it took. */
async function say(agent: TestHost, action: string, parameters: object): Promise<string> {
  return (await agent.act(action, parameters)).content.replace(/ \(for \d+ s\)/, "");
}

const start = (agent: TestHost, command: string) => say(agent, "startCommand", { command });
const read = (agent: TestHost, id: number, filter?: string) => say(agent, "readCommand", { id, filter });

const STARTED =
  "Command 1 runs in the background. See what it prints with `readCommand`, end it with `stopCommand`.";

/** Reads until something of a command is `wanted`; all that was shown on the way. */
async function readUntil(agent: TestHost, id: number, wanted: string): Promise<string> {
  let shown = "";
  const look = async (): Promise<string> => (shown += `${await read(agent, id)}\n`);
  await expect.poll(look, { timeout: 20_000 }).toContain(wanted);
  return shown;
}

/** Resolves once `text` is kept of what a command printed; nothing is read of it. */
async function printed(agent: TestHost, text: string): Promise<void> {
  const folder = join(agent.root, ".ai-legion/agents/1/background");
  const kept = async () =>
    (await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")))).join("");
  await expect.poll(kept, { timeout: 20_000 }).toContain(text);
}

/** The same to its end, which its start may have told of already. */
async function runToEnd(agent: TestHost, command: string): Promise<string> {
  const said = await start(agent, command);
  return said.includes("has ended") ? said : readUntil(agent, 1, "has ended");
}

describe("a command in the background", () => {
  it("goes on when the action is over, and shows each line once", async () => {
    const agent = createAgent();
    const left = lasting();
    const command = `echo begun; until [ -e go ]; do sleep 0.02; done; echo gone on; ${left}`;
    expect(await start(agent, command)).toBe(STARTED);
    expect(await readUntil(agent, 1, "begun")).toContain("Command 1 runs. New output:\nbegun\n");
    expect(await read(agent, 1)).toBe("Command 1 runs. It has printed nothing new.");
    agent.file("go");
    expect(await readUntil(agent, 1, "gone on")).not.toContain("begun");
    expect(await isRunningAs(left)).toBe(true);
    expect(await say(agent, "stopCommand", { id: 1 })).toBe(
      "Command 1 is stopped. It has printed nothing new.",
    );
    expect(await isRunningAs(left)).toBe(false);
  });

  it("says once how it ended, and is forgotten then", async () => {
    const agent = createAgent();
    await start(agent, "until [ -e go ]; do sleep 0.02; done; echo last; exit 3");
    agent.file("go");
    expect(await readUntil(agent, 1, "has ended")).toContain("Command 1 has ended: exit code 3. ");
    expect(await agent.act("readCommand", { id: 1 })).toEqual({
      outcome: "error",
      content: "You have no command 1 in the background. There are none.",
    });
    expect(await start(agent, "sleep 1000")).toContain("Command 2 runs");
    await say(agent, "stopCommand", { id: 2 });
  });

  it("that ends at once is told of without a question for it", async () => {
    const agent = createAgent();
    const said = await runToEnd(agent, "echo no such thing; exit 127");
    expect(said).toContain("Command 1 has ended: exit code 127. ");
    expect(said).toContain("New output:\nno such thing");
    expect(system.pinnedMessage!(agent.host)).toBeUndefined();
  });

  it("finds its input at an end", async () => {
    expect(await runToEnd(createAgent(), "cat; echo read all")).toContain("read all");
  });

  it("is shown in the prompt as long as nobody was told of its end", async () => {
    const agent = createAgent();
    await start(agent, "sleep 1000 &&\n  true");
    expect(system.pinnedMessage!(agent.host)).toBe(
      "Your commands in the background, by number; `readCommand` says what became of them:\n- 1: sleep 1000 && true",
    );
    await say(agent, "stopCommand", { id: 1 });
    expect(system.pinnedMessage!(agent.host)).toBeUndefined();
  });

  it("is one of at most 8", async () => {
    const agent = createAgent();
    for (let n = 1; n <= 8; n++) await start(agent, "sleep 1000");
    expect(await agent.act("startCommand", { command: "touch ninth" })).toMatchObject({
      outcome: "error",
      content: expect.stringMatching(
        /^You have 8 commands in the background already: 1, 2, 3, 4, 5, 6, 7, 8\. End one/,
      ),
    });
    expect(existsSync(join(agent.root, "ninth"))).toBe(false);
    await say(agent, "stopCommand", { id: 3 });
    expect(await start(agent, "sleep 1000")).toContain("Command 9 runs");
  });

  it("is ended with all that it began, in whatever group or session, deaf or not", async () => {
    const agent = createAgent();
    const [plain, stray, deaf] = [lasting(), lasting(), lasting()];
    await start(agent, `setsid ${stray} & (trap '' TERM; exec ${deaf}) & echo begun; ${plain}`);
    for (const one of [plain, stray, deaf]) await expect.poll(() => isRunningAs(one)).toBe(true);
    await say(agent, "stopCommand", { id: 1 });
    for (const one of [plain, stray, deaf]) expect(await isRunningAs(one)).toBe(false);
  });

  it("shows the beginning of a line if there is nothing else, and the rest of it later", async () => {
    const agent = createAgent();
    await start(agent, "printf 'listening on '; until [ -e go ]; do sleep 0.02; done; echo ä; sleep 1000");
    expect(await readUntil(agent, 1, "listening")).toContain("New output:\nlistening on");
    agent.file("go");
    expect(await readUntil(agent, 1, "ä")).not.toContain("listening");
    await say(agent, "stopCommand", { id: 1 });
  });
});

describe("what is read of a command in the background", () => {
  it("can be only the lines that hold a text, or one of several", async () => {
    const agent = createAgent();
    await start(agent, "echo a Warning; echo nothing; echo an ERROR; printf 'half an error'; sleep 1000");
    await printed(agent, "half an error");
    expect(await read(agent, 1, "error|warn")).toBe(
      'Command 1 runs. New output (1 line without "error|warn" left out):\na Warning\nan ERROR',
    );
    // What is half a line is not judged yet.
    expect(await read(agent, 1, "error")).toBe("Command 1 runs. It has printed nothing new.");
    expect(await read(agent, 1)).toBe("Command 1 runs. New output:\nhalf an error");
    await say(agent, "stopCommand", { id: 1 });
  });

  it.each(["(a+)+$", "|", ".*", "["])("takes the filter %j for a text", async (filter) => {
    const agent = createAgent();
    await start(agent, `printf '%s\\n' '${"a".repeat(5_000)}!' 'it says ${filter} here'; sleep 1000`);
    await printed(agent, "here\n");
    expect(await read(agent, 1, filter)).toContain(`\nit says ${filter} here`);
    await say(agent, "stopCommand", { id: 1 });
  });

  it("is the end of what it printed where that has no end, on a disk that it does not fill", async () => {
    const agent = createTestHost(system);
    await start(agent, "echo first; yes 0123456");
    const folder = join(agent.root, ".ai-legion/agents/1/background");
    const sizes = async (): Promise<readonly number[]> =>
      Promise.all(
        (await readdir(folder)).map(
          async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0,
        ),
      );
    // The first part and the last two stay.
    await expect
      .poll(async () => (await readdir(folder)).some((name) => Number(name.split(".")[2]) > 4 * 1024 ** 2), {
        timeout: 20_000,
      })
      .toBe(true);
    const shown = await read(agent, 1);
    expect(shown).toMatch(
      /^Command 1 runs\. New output:\n\[Left out: \d+ lines before these\. Full text: \S+\]\n0123456\n/,
    );
    const [, path] = /Full text: (\S+)\]/.exec(shown)!;
    const kept = await say(agent, "readFile", { path, limit: 3 });
    expect(kept).toContain("first\n0123456\n");
    expect((await sizes()).reduce((sum, size) => sum + size, 0)).toBeLessThan(4.5 * 1024 ** 2);
    expect(await say(agent, "stopCommand", { id: 1 })).toContain("Command 1 is stopped.");
  });

  it("is waited for while there is nothing, so that who asks again and again does not spend", async () => {
    const agent = createTestHost(system);
    await start(agent, "until [ -e go ]; do sleep 0.02; done; echo there; sleep 1000");
    const reading = read(agent, 1);
    agent.file("go");
    expect(await reading).toBe("Command 1 runs. New output:\nthere");
    const stopping = createTestHost(system);
    await start(stopping, "until [ -e go ]; do sleep 0.02; done; exit 7");
    const ending = read(stopping, 1);
    stopping.file("go");
    expect(await ending).toBe("Command 1 has ended: exit code 7. It has printed nothing new.");
    await say(agent, "stopCommand", { id: 1 });
  });

  it("says how long the command has run, to the second: who waits is not going round in circles", async () => {
    const agent = createAgent();
    await start(agent, "sleep 1000");
    const known = agent.state.get("background") as { commands: { since: number }[] };
    known.commands[0]!.since -= 150_000;
    expect((await agent.act("readCommand", { id: 1 })).content).toMatch(
      /^Command 1 runs \(for 2 min 3\d s\)\. It has/,
    );
    await say(agent, "stopCommand", { id: 1 });
  });

  it("comes without what acts on a terminal", async () => {
    const said = await runToEnd(createAgent(), String.raw`printf '\033[31mred\033[0m \007\n'`);
    expect(said).toContain("New output:\nred \\x07");
  });

  it.each([0, -1, "x", 1.5])("refuses the number %j", async (id) => {
    const agent = createAgent();
    const result = await agent.act("readCommand", { id }).catch(() => ({ outcome: "error" }));
    expect(result.outcome).toBe("error");
  });

  it("is marked as coming from the hosts that the command may reach", async () => {
    const agent = createAgent();
    await agent.act("startCommand", { command: "echo hi; sleep 1000", network: "example.com" });
    expect(await agent.act("readCommand", { id: 1 })).toMatchObject({
      taint: ["command reaching example.com"],
    });
    await say(agent, "stopCommand", { id: 1 });
  });
});

describe("the state of commands in the background", () => {
  it("names some that do not run here, as after a restart, a fork or an import", async () => {
    const command = { id: 4, name: "system.0123abcd", command: "make serve", hosts: [], since: 0, read: 7 };
    const agent = createTestHost(system, { state: { background: { last: 4, commands: [command] } } });
    expect(await read(agent, 4)).toBe(
      "Command 4 does not run any more: commands in the background end with the runtime that started them, and it was stopped. " +
        "It has printed nothing new.",
    );
    expect(await start(agent, "sleep 1000")).toContain("Command 5 runs");
    await say(agent, "stopCommand", { id: 5 });
  });

  it.each(["../../../../etc/passwd", "system.0123abcd/../../x", "*"])("names no file: %j", async (name) => {
    const command = { id: 1, name, command: "x", hosts: [], since: 0, read: 0 };
    const agent = createTestHost(system, { state: { background: { last: 1, commands: [command] } } });
    expect(await read(agent, 1)).toContain("It has printed nothing new.");
  });

  it("that went back in time ends what it does not know", async () => {
    const agent = createAgent();
    const left = lasting();
    await start(agent, left);
    await expect.poll(() => isRunningAs(left)).toBe(true);
    agent.state.clear();
    expect(await start(agent, "sleep 1000")).toBe(STARTED);
    expect(await isRunningAs(left)).toBe(false);
    await say(agent, "stopCommand", { id: 1 });
  });
});
