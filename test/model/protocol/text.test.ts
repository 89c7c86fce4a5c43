import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/domain/event/event.ts";
import type { Completion } from "../../../src/domain/model.ts";
import { MULTILINE_DELIMITER as D, mistakeIn } from "../../../src/model/protocol/text-syntax.ts";
import { textProtocol } from "../../../src/model/protocol/text.ts";
import { ACTIONS, completionOf } from "./actions.ts";

function parse(text: string, rest: Partial<Completion> = {}) {
  return textProtocol.parse(completionOf(text, rest), ACTIONS);
}

function callOf(text: string): Pick<Call, "action" | "parameters"> {
  const parsed = parse(text);
  if (parsed.kind !== "calls") throw new Error(parsed.reason);
  expect(parsed.calls).toHaveLength(1);
  const { action, parameters } = parsed.calls[0]!;
  return { action, parameters };
}

function reasonOf(text: string, rest: Partial<Completion> = {}): string {
  const parsed = parse(text, rest);
  if (parsed.kind !== "unparsed") throw new Error(`read as ${JSON.stringify(parsed.calls)}`);
  return parsed.reason;
}

const goal = { action: "addGoal", parameters: { goal: "Write it down" } };

describe("the forms of an action", () => {
  it.each([
    ["a bare name", "addGoal\ngoal: Write it down"],
    ["an action key", "action: addGoal\ngoal: Write it down"],
    ["a name key", "name: addGoal\ngoal: Write it down"],
    ["a capitalised action key", "Action: addGoal\ngoal: Write it down"],
    ["an action key after the parameters", "goal: Write it down\n\naction: addGoal"],
    ["leading blank lines and trailing space", "\n  \n\naddGoal  \ngoal:   Write it down  \n\n"],
    ["CRLF", "addGoal\r\ngoal: Write it down\r\n"],
    ["a mark-up of the name", "**addGoal**\ngoal: Write it down"],
    ["a name in backticks", "action: `addGoal`\ngoal: Write it down"],
    ["indented parameters", "addGoal\n  goal: Write it down"],
    ["JSON strings", 'action: "addGoal"\n"goal": "Write it down"'],
    ["no space after the colon", "addGoal\ngoal:Write it down"],
    ["a block scalar", "addGoal\ngoal: |\n  Write it down"],
    ["a stripped block scalar", "addGoal\ngoal: |-\n  Write it down\n\n"],
    ["a folded block scalar", "addGoal\ngoal: >\n  Write it down"],
    ["indented lines below the key", "addGoal\ngoal:\n  Write it down"],
    ["a delimiter on the key's line", `addGoal\ngoal: ${D}\nWrite it down\n${D}`],
    ["a delimiter on the next line", `addGoal\ngoal:\n${D}\nWrite it down\n${D}\n`],
    ["a value on the lines of its delimiters", `addGoal\ngoal: ${D} Write it down${D}`],
    ["a code fence", "```\naddGoal\ngoal: Write it down\n```"],
    ["a code fence with a language", "```yaml\naction: addGoal\ngoal: Write it down\n```\n"],
    ["a code fence of tildes", "~~~\naddGoal\ngoal: Write it down\n~~~"],
    ["a code fence that is not closed", "```\naddGoal\ngoal: Write it down"],
    ["prose around the only code fence", "Sure!\n\n```\naddGoal\ngoal: Write it down\n```\nThat was it."],
    ["prose before an action key", "Sure, here it is:\n\naction: addGoal\ngoal: Write it down"],
    [
      "prose before an action whose value names another",
      "I note it.\n\naddGoal\nthoughts: |\n  noop\ngoal: Write it down",
    ],
    ["prose before a bare name", "Okay\n\nI add a goal now.\n\naddGoal\ngoal: Write it down"],
  ])("reads %s", (_, text) => {
    expect(callOf(text)).toEqual(goal);
  });

  it("reads the example of the seed, with its thoughts", () => {
    const text = `action: addGoal
thoughts: |
  I should track this task as a goal
goal: Document all agent pipelines`;
    expect(parse(text)).toEqual({
      kind: "calls",
      calls: [{ id: "c1", action: "addGoal", parameters: { goal: "Document all agent pipelines" } }],
      thoughts: "I should track this task as a goal",
    });
  });

  it("reads parameters before and after a value of several lines", () => {
    const text = `writeNote\nthoughts: ${D}\none\ntwo\n${D}\ncontent: ${D}\n  a: 1\n\n\`\`\`js\nb\n\`\`\`\n\n${D}\ntitle: T`;
    const parsed = parse(text);
    expect(parsed).toMatchObject({ thoughts: "one\ntwo" });
    expect(callOf(text).parameters).toEqual({ content: "  a: 1\n\n```js\nb\n```\n", title: "T" });
  });

  it("keeps fences within a value apart from the fence around the action", () => {
    const inner = "# T\n```js\nnoop\n```\nend";
    expect(callOf(`\`\`\`\nwriteNote\ntitle: T\ncontent: ${D}\n${inner}\n${D}\n\`\`\``).parameters).toEqual({
      title: "T",
      content: inner,
    });
    expect(
      callOf("```\nwriteNote\ntitle: T\ncontent: |\n  # T\n  ```js\n  noop\n  ```\n```").parameters,
    ).toEqual({
      title: "T",
      content: "# T\n```js\nnoop\n```",
    });
  });

  it("keeps the shape of a block and drops its margin", () => {
    const text = "writeNote\ncontent: |\n    def f():\n        return 1\n\n    f()\n\ntitle: T";
    expect(callOf(text).parameters).toEqual({ content: "def f():\n    return 1\n\nf()", title: "T" });
  });

  it("takes a name key for a parameter when the action is named otherwise", () => {
    expect(callOf("writeNote\nname: n\naction: a\ntitle: T").parameters).toEqual({
      name: "n",
      action: "a",
      title: "T",
    });
    expect(callOf("name: n\naction: writeNote").parameters).toEqual({ name: "n" });
  });

  it("reads an alias, another case and an unknown name as they are written", () => {
    expect(callOf("runCommand\ncommand: ls").action).toBe("runCommand");
    expect(callOf("ADDGOAL\ngoal: x").action).toBe("ADDGOAL");
    expect(callOf("launchRocket\nwhere: moon")).toEqual({
      action: "launchRocket",
      parameters: { where: "moon" },
    });
  });

  it("takes native calls, whatever text stands beside them", () => {
    const calls = [{ id: "t1", name: "addGoal", arguments: '{"goal":"x"}' }];
    expect(parse("I add a goal.", { calls, stop: "calls" })).toEqual({
      kind: "calls",
      calls: [{ id: "t1", action: "addGoal", parameters: { goal: "x" } }],
    });
  });
});

describe("values", () => {
  it.each([
    ['"x" and "y"', '"x" and "y"'],
    ['say "hello": now', 'say "hello": now'],
    ["https://example.org/a?b=c#d: e", "https://example.org/a?b=c#d: e"],
    ["'single'", "'single'"],
    ['"', '"'],
    ['"C:\\dir\\q"', '"C:\\dir\\q"'],
    ["C:\\temp\\new", "C:\\temp\\new"],
    ["# no comment", "# no comment"],
    ["| grep x", "| grep x"],
    ["a\rb", "a\rb"],
    ['"one JSON string\\n"', "one JSON string\n"],
    ["", ""],
  ])("reads %j as %j", (written, value) => {
    expect(callOf(`addGoal\ngoal: ${written}\nthoughts: t`).parameters).toEqual({ goal: value });
  });

  it("keeps the line breaks of a value in a text that is not CRLF throughout", () => {
    expect(callOf(`addGoal\ngoal: ${D}\na\r\nb\r\n${D}`).parameters).toEqual({ goal: "a\r\nb\r" });
    expect(callOf(`addGoal\r\ngoal: ${D}\r\na\r\nb\r\n${D}`).parameters).toEqual({ goal: "a\nb" });
  });

  it("holds names of the language itself to be names like any other", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      expect(callOf(name)).toEqual({ action: name, parameters: {} });
      const { parameters } = callOf(`addGoal\n${name}: x`);
      expect(JSON.stringify(parameters)).toBe(`{"${name}":"x"}`);
      expect(Object.getPrototypeOf(parameters)).toBe(Object.prototype);
    }
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("mistakes", () => {
  it("shows the format when the text is prose", () => {
    const reason = reasonOf("Sure, here is what I think.");
    expect(reason).toContain("`Sure, here is what I think.`, is not the name of an action");
    expect(reason).toContain("```\nhelp\n");
    expect(reason).toContain("aboutAction: addGoal");
  });

  it.each([
    ["nothing", " \n\n", "it is empty"],
    ["a call like in a programming language", 'addGoal("x")', '`addGoal("x")`, is not the name'],
    ["a name key that holds a sentence", "action: let us see", "`action: let us see`, is not the name"],
    ["one word before prose", "Okay\nI am done with it.", "`Okay`, is not the name"],
    ["several code fences", "```\nnoop\n```\nor\n```\nhelp\n```", "is not the name of an action"],
    ["prose around a fence of something else", "Run this:\n```sh\nls\n```", "`Run this:`, is not the name"],
    ["prose that offers two actions", "Either\nnoop\nor\nhelp", "`Either`, is not the name"],
  ])("refuses %s", (_, text, mistake) => {
    expect(reasonOf(text)).toContain(mistake);
  });

  it.each([
    [
      "a value of several lines without delimiter",
      "addGoal\ngoal: a\nand b",
      "`and b` is no `parameter: value`",
    ],
    ["a second action", "addGoal\ngoal: a\n\naddGoal\ngoal: b", "`addGoal` is no `parameter: value`"],
    ["a second action key", "action: noop\naction: help", "`action` is given twice"],
    ["a parameter given twice", "addGoal\ngoal: a\ngoal: b", "`goal` is given twice"],
    [
      "a delimiter that is not closed",
      `addGoal\ngoal: ${D}\na\nb`,
      "the delimiter that opens `goal` is never closed",
    ],
    ["prose after the action", "noop\nI will wait.", "`I will wait.` is no `parameter: value`"],
  ])("reads a call that cannot be made from %s, and shows it as it was written", (_, text, mistake) => {
    const { action, parameters } = callOf(text);
    expect(["addGoal", "noop"]).toContain(action);
    expect(parameters).toBe(text);
    expect(mistakeIn(text)).toContain(mistake);
    const decision = {
      text,
      calls: [{ id: "c1", action, parameters }],
      model: "m",
      protocol: "text",
    } as const;
    expect(textProtocol.decision(decision)).toMatchObject({ text });
  });

  it("never acts on a text that was cut off, since its last value may be half of what was meant", () => {
    expect(reasonOf("executeCommand\ncommand: rm -r build", { stop: "length" })).toContain("cut off");
  });

  it("never acts on what a provider's filter stopped", () => {
    expect(reasonOf("noop", { stop: "refused" })).toContain("refused by the provider");
    expect(reasonOf("", { stop: "refused" })).toContain("refused by the provider");
  });

  it("does not repeat a long text", () => {
    expect(reasonOf("word ".repeat(100_000)).length).toBeLessThan(600);
    expect(mistakeIn(`addGoal\n${"word ".repeat(100_000)}`)!.length).toBeLessThan(200);
  });
});

describe("hostile text", () => {
  const pieces = fc.constantFrom(
    ..."addGoal|noop|action:|name: |goal|thoughts|: | |\t|\n|\r\n|```|~~~|yaml|\"|\\|'|%|{|}|*|`|é|\u2028".split(
      "|",
    ),
    D,
    "|",
    "\ud800",
    "__proto__",
  );

  it("never makes the parser throw, and yields a call that JSON can carry", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(pieces, { maxLength: 40 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom("end", "length", "refused"), (text, stop) => {
        const parsed = parse(text, { stop });
        expect(JSON.parse(JSON.stringify(parsed))).toEqual(parsed);
        if (parsed.kind === "calls") expect(parsed.calls).toHaveLength(1);
        else expect(parsed.reason).not.toBe("");
      }),
      { numRuns: 2_000 },
    );
  });

  // Quadratic work on texts of this size would take hours.
  it.each(
    [
      " ",
      "\n",
      " \n",
      ":",
      "a:\n",
      "a\n",
      "noop\n",
      "```\n",
      "``` ",
      "*",
      '"',
      '\\"',
      `${D}\n`,
      `${D} `,
      "a: |\n \n",
    ].flatMap((piece) =>
      ["", "action: a", "addGoal\ngoal:", "Sure,\n", "```\n", `addGoal\ngoal: ${D}`].map((start) => [
        start,
        piece,
      ]),
    ),
  )("is read in linear time: %j and then a lot of %j", (start, piece) => {
    const text = start! + piece!.repeat(200_000 / piece!.length);
    expect(() => [parse(text), parse(`${text}x`)]).not.toThrow();
  });
});
