import { PassThrough, type Readable, type Writable } from "node:stream";
import { expect, it } from "vitest";
import { askPerson, confirm } from "../../../src/cli/consent/confirm.ts";
import type { Io } from "../../../src/cli/kit/command.ts";

/** A terminal at which `typed` is typed; `undefined`: it is closed instead. */
function terminal(typed: string | undefined): { readonly io: Io; readonly shown: () => string } {
  const isTTY = { isTTY: true };
  const typing = Object.assign(new PassThrough(), isTTY);
  const shown = Object.assign(new PassThrough(), isTTY);
  const [stdin, screen]: readonly [Readable, Writable] = [typing, shown];
  typing.end(typed);
  const terminals = {
    stdin: stdin as Io["stdin"],
    stdout: screen as Io["stdout"],
    stderr: screen as Io["stderr"],
  };
  let seen = "";
  shown.setEncoding("utf8").on("data", (text: string) => (seen += text));
  const { signal } = new AbortController();
  return { io: { ...terminals, env: {}, cwd: "/", commands: [], signal }, shown: () => seen };
}

it.each([
  ["y\n", true],
  ["Yes\n", true],
  ["n\n", false],
  ["\n", false],
  ["yesterday\n", false],
  [undefined, false],
])("takes %j for %s", async (typed, answer) => {
  const { io, shown } = terminal(typed);
  expect(await confirm("Take it on?", io)).toBe(answer);
  const screen = shown();
  expect(screen).toContain("Take it on? [y/N]");
  // Who types ends the line by that; it is ended for those who leave.
  expect(screen.split("\n")).toHaveLength(2);
});

it("asks nobody where nobody is", async () => {
  const { io, shown } = terminal("y\n");
  Object.assign(io.stdin, { isTTY: false });
  expect(await confirm("Take it on?", io)).toBe(false);
  expect(shown()).toBe("");
});

it("leaves nothing behind on the terminal: what is typed at the next question is shown once", async () => {
  const isTTY = { isTTY: true };
  const stdin = Object.assign(new PassThrough(), isTTY);
  const stdout = Object.assign(new PassThrough(), isTTY);
  let shown = "";
  stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
  const io = { stdin, stdout };
  const answers: string[] = [];
  for (const question of ["first? ", "second? ", "third? "]) {
    const asked = askPerson(question, io);
    stdin.write("abc\r");
    answers.push(await asked);
  }
  expect(answers).toEqual(["abc", "abc", "abc"]);
  expect(shown.split(/\w+\? /).map((text) => text.replace(/[^abc]/g, ""))).toEqual(["", "abc", "abc", "abc"]);
});
