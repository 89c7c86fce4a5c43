import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Io } from "../../src/cli/command.ts";
import { readConsoleLine } from "../../src/cli/console-line.ts";
import { consoleMode, openConsole, type Console, type ConsoleOptions } from "../../src/cli/console.ts";
import { LegionError } from "../../src/errors.ts";
import { completeLine, createTalk } from "../../src/cli/talk.ts";
import { createTerminal, type Terminal } from "./screen.ts";

interface Opened extends Console {
  readonly terminal: Terminal;
  readonly lines: string[];
  readonly interrupts: () => number;
}

function openAt(columns: number, options: Partial<ConsoleOptions> = {}): Opened {
  const terminal = createTerminal(columns);
  const lines: string[] = [];
  let interrupts = 0;
  const opened = openConsole({
    io: { ...terminal, env: {} },
    mode: "prompt",
    onLine: async (line) => void lines.push(line),
    complete: () => [],
    onInterrupt: () => interrupts++,
    ...options,
  });
  onTestFinished(opened.close);
  return { ...opened, terminal, lines, interrupts: () => interrupts };
}

describe("the console at a terminal", () => {
  it("prints above the line that is being typed, which stays as it is", async () => {
    const { terminal, print, lines } = openAt(40);
    await terminal.type("2: half a");
    print("Agent 1  ← Control: hello\n");
    expect(terminal.rows()).toEqual(["Agent 1  ← Control: hello", "> 2: half a"]);
    await terminal.type(" line");
    print("Agent 1  ✓ done\nAgent 1  · waits\n");
    expect(terminal.rows().slice(1)).toEqual(["Agent 1  ✓ done", "Agent 1  · waits", "> 2: half a line"]);
    expect(terminal.cursor()).toEqual({ row: 3, column: 16 });
    await terminal.type("\r");
    expect(lines).toEqual(["2: half a line"]);
  });

  it("keeps a typed line of several rows together, wherever the cursor is in it", async () => {
    const { terminal, print } = openAt(20);
    const typed = "0123456789".repeat(5);
    const shown = [`> ${typed.slice(0, 18)}`, typed.slice(18, 38), typed.slice(38)];
    await terminal.type(typed);
    expect(terminal.rows()).toEqual(shown);
    print("one\n");
    expect(terminal.rows()).toEqual(["one", ...shown]);
    await terminal.type("\u0001");
    print("two\n");
    expect(terminal.rows()).toEqual(["one", "two", ...shown]);
    await terminal.type("\u0005!");
    print("three\n");
    expect(terminal.rows()).toEqual(["one", "two", "three", ...shown.slice(0, 2), `${typed.slice(38)}!`]);
  });

  it("tells of Ctrl-C, and goes on printing when the person has closed the input", async () => {
    const { terminal, print, interrupts } = openAt(40);
    await terminal.type("\u0003");
    expect(interrupts()).toBe(1);
    await terminal.type("\u0004");
    print("still here\n");
    expect(terminal.rows().at(-1)).toBe("still here");
  });

  it("outlives a terminal that can no longer be read", async () => {
    const { terminal, print } = openAt(40);
    await terminal.type("half");
    terminal.stdin.emit("error", new Error("read EIO"));
    print("still here\n");
    expect(terminal.rows()[0]).toBe("still here");
  });

  it("takes the prompt away when it is closed", async () => {
    const { terminal, print, close } = openAt(40);
    await terminal.type("half");
    close();
    print("The end.\n");
    expect(terminal.rows()).toEqual(["The end."]);
  });

  it("completes what can be meant by one key", async () => {
    const { terminal, lines } = openAt(40, { complete: (line) => completeLine(line, ["1", "writer"]) });
    await terminal.type("/goa\tw\t\r");
    await terminal.type("wr\thello\r");
    expect(lines).toEqual(["/goals writer", "writer: hello"]);
  });
});

describe("the console without a terminal", () => {
  it("reads one line after the other, each when the one before is done", async () => {
    const stdin = new PassThrough();
    const steps: string[] = [];
    const done = new Promise<void>((resolve) => {
      const { close } = openConsole({
        io: { stdin: stdin, stdout: process.stdout, env: {} },
        mode: "lines",
        async onLine(line) {
          steps.push(`begin ${line}`);
          await new Promise((turn) => setImmediate(turn));
          steps.push(`end ${line}`);
          if (line === "b") resolve();
        },
        complete: () => [],
        onInterrupt: () => undefined,
      });
      onTestFinished(close);
    });
    stdin.end("a\nb");
    await done;
    expect(steps).toEqual(["begin a", "end a", "begin b", "end b"]);
  });

  it("is what there is unless both ends are one", () => {
    const { stdin, stdout } = createTerminal(40);
    const pipe = Object.assign(new PassThrough(), { isTTY: false });
    expect(consoleMode({ stdin, stdout, env: {} })).toBe("prompt");
    expect(consoleMode({ stdin, stdout, env: { TERM: "dumb" } })).toBe("lines");
    expect(consoleMode({ stdin, stdout: pipe, env: {} })).toBe("lines");
    expect(consoleMode({ stdin: pipe, stdout, env: {} })).toBe("lines");
  });
});

describe("readConsoleLine", () => {
  const known = ["1", "2", "writer"];
  const say = (targets: readonly string[] | "all", text: string) => ({ kind: "say", targets, text });

  it.each([
    ["2: hello", say(["2"], "hello")],
    ["2,3: hello", say("all", "2,3: hello")],
    [" 1 , writer :hello: you", say(["1", "writer"], "hello: you")],
    ["1,1: hello", say(["1"], "hello")],
    ["all: hello", say("all", "hello")],
    ["1,all: hello", say("all", "hello")],
    ["0: hello", say("all", "0: hello")],
    ["hello", say("all", "hello")],
    ["note: buy milk", say("all", "note: buy milk")],
    [": hello", say("all", ": hello")],
    ["constructor: hello", say("all", "constructor: hello")],
    ["2:", { kind: "nothing" }],
    ["  ", { kind: "nothing" }],
    ["/ps", { kind: "command", argv: ["ps"] }],
    [
      `/send 2 "two words" 'and more' it's`,
      { kind: "command", argv: ["send", "2", "two words", "and more", "it's"] },
    ],
    ["/", { kind: "command", argv: [] }],
  ])("%s", (line, meaning) => {
    expect(readConsoleLine(line, known)).toEqual(meaning);
  });
});

describe("the console's lines", () => {
  const io = {
    env: {},
    cwd: "/project",
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  };

  function talkWith(dispatch: (argv: readonly string[], io: Io) => Promise<number>) {
    const said: unknown[] = [];
    const printed: string[] = [];
    const legion = {
      peers: async () => [{ id: "2", name: "Agent 2", description: "", running: true }],
      control: {
        async say(targets: unknown, text: string) {
          if (text === "too much") throw new LegionError("REFUSED", "The mailbox is full.");
          said.push([targets, text]);
          return [];
        },
      },
    };
    const talk = createTalk({
      legion: legion as never,
      io,
      print: (rows) => void printed.push(rows),
      dispatch,
    });
    return { talk, said, printed };
  }

  it("speak to agents, and tell why a message was refused", async () => {
    const { talk, said, printed } = talkWith(async () => 0);
    await talk("2: hello");
    await talk("too much");
    expect(said).toEqual([[["2"], "hello"]]);
    expect(printed).toEqual(["legion: The mailbox is full.\n"]);
  });

  it("run commands in the project, whose output comes in whole rows", async () => {
    const { talk, printed } = talkWith(async (argv, { stdout, stderr, cwd }) => {
      stdout.write(`${argv.join(" ")} in `);
      stderr.write(`${cwd}\nand `);
      stdout.write("more");
      return 0;
    });
    await talk("/goals 2");
    expect(printed).toEqual(["goals 2 in /project\n", "and more\n"]);
  });

  it("refuse a second node, and what would not end", async () => {
    const { talk, printed } = talkWith(() => Promise.reject(new Error("ran")));
    await talk("/start 3");
    await talk("/log 2 -f");
    await talk("/send 2 hi --wait");
    expect(printed).toEqual([
      "legion: a node runs here already: this one\n",
      "legion: the console does not wait; do that in another terminal\n",
      "legion: the console does not wait; do that in another terminal\n",
    ]);
  });
});
