import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../../../src/cli/commands.ts";
import { completeLine } from "../../../../src/cli/console/talk.ts";
import { openAt } from "../opened.ts";

describe("the rows at the bottom", () => {
  it("stand above the line that is being typed, and under all that is printed", async () => {
    const { terminal, print, show } = openAt(30);
    show(["one", "two"]);
    await terminal.type("2: half");
    print("news\n");
    show(["one", "TWO", "three"]);
    expect(terminal.rows()).toEqual(["news", "one", "TWO", "three", "> 2: half"]);
    print("more\n");
    await terminal.type(" a line\r");
    expect(terminal.rows()).toEqual(["news", "more", "> 2: half a line", "one", "TWO", "three", ">"]);
    show(["1"]);
    expect(terminal.rows()).toEqual(["news", "more", "> 2: half a line", "1", ">"]);
    show([]);
    expect(terminal.rows().at(-2)).toBe("> 2: half a line");
  });

  it("stay where they are with a typed line of several rows, wherever the cursor is", async () => {
    const { terminal, print, show } = openAt(20);
    const typed = "0123456789".repeat(4);
    const shown = [`> ${typed.slice(0, 18)}`, typed.slice(18, 38), typed.slice(38)];
    show(["row"]);
    await terminal.type(typed);
    show(["ROW"]);
    expect(terminal.rows()).toEqual(["ROW", ...shown]);
    await terminal.type("\u0001");
    print("news\n");
    expect(terminal.rows()).toEqual(["news", "ROW", ...shown]);
    await terminal.type("\r");
    expect(terminal.rows()).toEqual([
      "news",
      "> 012345678901234567",
      "  890123456789012345",
      "  6789",
      "ROW",
      ">",
    ]);
  });

  it("are not written again where nothing is different", () => {
    const { terminal, show } = openAt(30);
    show(["one"]);
    const before = terminal.written().length;
    show(["one"]);
    expect(terminal.written()).toHaveLength(before);
  });

  it("survive another width of the terminal, and a screen that was emptied", async () => {
    const { terminal, print, show, clear } = openAt(40);
    print("news\n");
    show(["a row of thirty-five columns, or so.", "short"]);
    await terminal.type("typed");
    terminal.resize(20);
    show(["a shorter row", "short"]);
    expect(terminal.rows()).toEqual(["news", "a shorter row", "short", "> typed"]);
    terminal.resize(60);
    show(["a row that is longer once more", "short"]);
    expect(terminal.rows()).toEqual(["news", "a row that is longer once more", "short", "> typed"]);
    clear();
    expect(terminal.rows()).toEqual(["a row that is longer once more", "short", "> typed"]);
    await terminal.type("\u000c");
    print("news\n");
    expect(terminal.rows()).toEqual(["news", "a row that is longer once more", "short", "> typed"]);
  });

  it("take one row each, however wide a terminal thinks that they are", () => {
    const { terminal, print, show } = openAt(10);
    show(["x".repeat(14), "next"]);
    print("news\n");
    expect(terminal.rows()).toEqual(["news", "xxxxxxxxxx", "next", ">"]);
  });

  it("give way to what the beginning of a line can become", async () => {
    const { terminal, show } = openAt(60, {
      complete: (line) => completeLine(line, ["1", "writer"], { commands: COMMANDS }),
    });
    show(["row"]);
    await terminal.type("/res\t");
    expect(terminal.rows()).toEqual(["/resend  /resume", "row", "> /res"]);
  });

  it("are gone when the console is closed", async () => {
    const { terminal, print, show, close } = openAt(30);
    print("news\n");
    show(["row"]);
    await terminal.type("half");
    close();
    print("The end.\n");
    expect(terminal.rows()).toEqual(["news", "The end."]);
  });
});
