import { describe, expect, it } from "vitest";
import { actFor, createToldModes, modeNow } from "../../../src/cli/console/modes.ts";
import { modeNotice, type Mode } from "../../../src/domain/supervision.ts";
import { system } from "../../../modules/system/index.ts";
import { createWorldInMemory, type WorldAgent } from "../../world.ts";
import { BASH } from "../../legion/run/tasks.ts";
import { parseMessageId } from "../../../src/domain/message/message.ts";
import { talkWith } from "./talking.ts";
import { committed } from "../inspections.ts";

describe("what a person types for an agent whose actions they say", () => {
  const typedFor = async (agent: WorldAgent, text: string) =>
    actFor((await createWorldInMemory({ 1: agent })).legion, "1", text);

  it("is a command for one that acts in bash alone, whatever it looks like", async () => {
    for (const text of ["ls -l", "noop", "bash x.sh", "a\nb: c"])
      expect(await typedFor({ bash: BASH }, text)).toEqual({ action: "bash", parameters: { command: text } });
  });

  it.each(["text", "tools"] as const)("is the action that it writes, or a command (%s)", async (protocol) => {
    const agent: WorldAgent = { protocol, modules: [system] };
    expect(await typedFor(agent, "writeFile\npath: a.txt\ncontent: a")).toEqual({
      action: "writeFile",
      parameters: { path: "a.txt", content: "a" },
    });
    expect(await typedFor(agent, "git status")).toEqual({
      action: "executeCommand",
      parameters: { command: "git status" },
    });
  });

  it("is refused where an agent that runs no commands has no such action, or it cannot be read", async () => {
    await expect(typedFor({}, "git status")).rejects.toThrow(
      /^`git status` is no action of Agent 1; it has /,
    );
    await expect(typedFor({}, "sendMessage\nthere")).rejects.toThrow(/^sendMessage was not done: /);
  });
});

describe("how the person watches over agents", () => {
  it.each([
    [
      "/y",
      "yolo",
      "Agent 1, Agent 2 and Agent 3: mode yolo: nothing asks you; what is forbidden stays so.\n",
      ["1", "2", "3"],
    ],
    ["/c 2", "confirm", "Agent 2: mode confirm: each call with effects asks you.\n", ["2"]],
    [
      "/u 1,3",
      "human",
      "Agent 1 and Agent 3: mode human: you say the calls, and no model is asked.\n",
      ["1", "3"],
    ],
    ["/mode 2 usual", "usual", "Agent 2: mode usual: what is asked is as the policy says.\n", ["2"]],
  ] as const)("%s counts at once, and is told once", async (line, mode, words, agents) => {
    const told: unknown[] = [];
    const { talk, world, printed } = await talkWith({ onMode: (...said) => void told.push(said) });
    await talk.hear(line);
    for (const id of agents) expect(modeNow(world.legion, id)).toBe(mode);
    expect(told).toEqual([[agents, mode]]);
    expect(printed).toEqual([words]);
  });

  it("/h says how; a word for an agent that there is none of reaches nobody", async () => {
    const { talk, printed } = await talkWith();
    await talk.hear("/h");
    await talk.hear("/y 9");
    await talk.hear("/mode 1 yelo");
    expect(printed[0]).toBe(`/c             each action with effects asks you: Enter runs it, a text
               refuses it, as the reason
/y             nothing asks you, but what is forbidden stays so; at a
               question it runs that, too
/u             what you type is done, and no model is asked: a command, or
               an action's name and, in a line each, its parameters
/m             several lines, up to an empty one
/mode 1 usual  as the policy says
/mode 1 held   as /c, and what it says to others waits, too
`);
    expect(printed.slice(1)).toEqual([
      'legion: there is no agent "9"; known: 1, 2, 3\n',
      'legion: "yelo" is no mode; did you mean yolo?\n',
    ]);
  });

  it("a letter alone is no command that lost its slash: it may be an answer that came too late", async () => {
    const { talk, mailOf, printed } = await talkWith();
    await talk.hear("1: y");
    await talk.hear("y");
    expect(await mailOf("1")).toEqual(["y", "y"]);
    expect(printed).toEqual([]);
  });
});

describe("what is typed for an agent whose actions the person says", () => {
  const inHuman = async () => {
    const talking = await talkWith();
    await talking.talk.hear("/u");
    talking.printed.length = 0;
    return talking;
  };

  it("is its action, and for the others mail", async () => {
    const { talk, world, mailOf } = await inHuman();
    await talk.hear("/c 2");
    await talk.hear("1,2: noop");
    await world.until(
      (seen) => seen.agent === "1" && seen.kind === "event" && seen.event.kind === "decision",
    );
    const [decision] = await world.kinds("1", "decision");
    expect(decision).toMatchObject({ model: "human", text: "noop", calls: [{ action: "noop" }] });
    expect(await mailOf("2")).toContain("noop");
  });

  it("is mail where it is steered, comes later or is for all", async () => {
    const { talk, world } = await inHuman();
    for (const line of ["/steer 1 noop", "/later 1 noop", "all: noop"]) await talk.hear(line);
    const said = (await world.kinds("0", "notice")).flatMap(({ sends = [] }) => sends);
    const toFirst = said.filter(({ id }) => parseMessageId(id).to === "1");
    expect(toFirst.map(({ delivery }) => delivery)).toEqual(["verdict", "steer", "follow-up", "normal"]);
    expect(await world.kinds("1", "decision")).toEqual([]);
  });

  it("reaches nobody where it is no action", async () => {
    const { talk, printed } = await inHuman();
    await talk.hear("look around");
    expect(printed).toHaveLength(1);
    expect(printed[0]).toMatch(/^legion: `look around` is no action of Agent 1; it has .*noop/);
  });
});

describe("how agents are watched over", () => {
  it("is told of once, whoever says it", () => {
    const modes = createToldModes(new Map<string, Mode>([["1", "confirm"]]));
    const seen = (mode: Mode) => modes.isOld(committed("1", modeNotice({ mode })));
    expect(seen("confirm")).toBe(true);
    expect(seen("yolo")).toBe(false);
    expect(seen("yolo")).toBe(true);
    modes.tell(["1"], "human");
    expect(seen("human")).toBe(true);
    expect(seen("confirm")).toBe(false);
  });
});
