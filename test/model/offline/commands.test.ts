import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CAPABILITIES,
  MAX_COMMANDS,
  OFFLINE_HELP,
  readCommands,
  type Command,
} from "../../../src/model/offline/commands.ts";

/** Action and parameters of each command, or what else it is. */
function brief(text: string): readonly unknown[] {
  return readCommands(text).map((command: Command) => {
    if (command.kind === "call") return [command.wanted.action, ...Object.values(command.wanted.parameters)];
    return command.kind === "survey" ? ["survey", command.dir] : command.kind;
  });
}

describe("the commands of the offline model", () => {
  it.each([
    ["survey .", ["survey", "."]],
    ["survey", ["survey", "."]],
    ["survey ./src/", ["survey", "src"]],
    ["survey ./", ["survey", "."]],
    ["survey /", ["survey", "/"]],
    ['survey "my files"', ["survey", "my files"]],
    ["read src/a b.ts", ["readFile", "src/a b.ts"]],
    ["read https://example.org/a b", ["readPage", "https://example.org/a b"]],
    ["search old trees", ["searchWeb", "old trees"]],
    ["search", "mistake"],
    ["list", ["listDirectory", "."]],
    ["list src", ["listDirectory", "src"]],
    ["run npm test -- --watch=false", ["executeCommand", "npm test -- --watch=false"]],
    ["note plan: first: this", ["writeNote", "plan", "first: this"]],
    ["goal buy milk", ["addGoal", "buy milk"]],
    ["done 2", ["completeGoal", 2]],
    ["write a/b.txt: hello: world", ["writeFile", "a/b.txt", "hello: world"]],
    ["tell 2 hello there", ["sendMessage", "2", "hello there"]],
    ["tell 2: hello", ["sendMessage", "2", "hello"]],
    ["tell 2,3 hello", ["sendMessage", "2,3", "hello"]],
    ["tell 2, 3 hello", ["sendMessage", "2,3", "hello"]],
    ["tell all hello", ["sendMessage", "all", "hello"]],
    ["tell Agent 2 hello", ["sendMessage", "2", "hello"]],
    ["tell Writer hello", ["sendMessage", "writer", "hello"]],
    ["tell control hello", ["sendMessage", "0", "hello"]],
    ["HELP", "help"],
  ])("include %j", (text, command) => {
    expect(brief(text)).toEqual([command]);
  });

  it.each([
    "read",
    "run",
    "note plan",
    "note : text",
    "goal",
    "done",
    "done two",
    "write x",
    "tell 2",
    "tell",
  ])("say how to write %j", (text) => {
    expect(readCommands(text)).toEqual([
      { kind: "mistake", source: text, reason: expect.stringMatching(/^Write it as: \w+ </) as unknown },
    ]);
  });

  it("stand one on a line, or are joined by then", () => {
    expect(brief("\n list src \n\nread a then goal x then done 1\r\nthen list\n")).toEqual([
      ["listDirectory", "src"],
      ["readFile", "a"],
      ["addGoal", "x"],
      ["completeGoal", 1],
      ["listDirectory", "."],
    ]);
  });

  it("hold the word then where no command follows it", () => {
    expect(brief("note plan: think, then act then rest then list the files")).toEqual([
      ["writeNote", "plan", "think, then act then rest"],
      ["listDirectory", "the files"],
    ]);
    expect(brief("goal be authentic then")).toEqual([["addGoal", "be authentic then"]]);
    expect(brief("read thenlist then.txt")).toEqual([["readFile", "thenlist then.txt"]]);
  });

  it("are none if the message does not begin with one", () => {
    for (const text of [
      "",
      "  \n",
      "Hello\nlist src",
      "> list src",
      "lists src",
      "list, please",
      "toString",
      "__proto__",
    ]) {
      expect(readCommands(text)).toEqual([]);
    }
  });

  it("that nobody knows, after one that is known, are named", () => {
    expect(readCommands("list src\nplease")).toMatchObject([
      { kind: "call" },
      { kind: "mistake", source: "please" },
    ]);
  });

  it("are taken up to a number, and the rest is refused", () => {
    const commands = readCommands("list\n".repeat(MAX_COMMANDS + 7));
    expect(commands).toHaveLength(MAX_COMMANDS + 1);
    expect(commands.at(-1)).toMatchObject({
      kind: "mistake",
      reason: expect.stringContaining("the last 7") as unknown,
    });
  });

  it("are all explained by the help, which is itself no command", () => {
    for (const word of ["survey", "read", "list", "run", "note", "goal", "done", "tell", "write", "help"]) {
      expect(OFFLINE_HELP).toMatch(new RegExp(`^  ${word}\\b.*  \\S`, "m"));
      expect(CAPABILITIES).toContain(word);
    }
    expect(readCommands(OFFLINE_HELP)).toEqual([]);
    expect(readCommands(CAPABILITIES)).toEqual([]);
  });

  it("never make trouble, whatever the text", () => {
    const words = fc.constantFrom(
      "then",
      "list",
      "tell",
      "note",
      ":",
      "2,",
      '"',
      "agent",
      " ",
      "\n",
      "\t",
      "x",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((parts) => parts.join(" ")),
        ),
        (text) => {
          expect(readCommands(text).length).toBeLessThanOrEqual(MAX_COMMANDS + 1);
        },
      ),
    );
    for (const part of ["then ", "then\t \t", " ", "tell ", "1,", ": ", '"', "note : ", "/"]) {
      readCommands(`list ${part.repeat(200_000)}`);
      readCommands(`tell ${part.repeat(200_000)}`);
    }
  });
});
