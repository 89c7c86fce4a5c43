import { describe, expect, it } from "vitest";
import { createStage } from "./puppets.ts";

type Case = readonly [
  what: string,
  /** `1 write a.txt`: in this order. */
  steps: readonly string[],
  /** The step whose result agent 1 cites to the person, from 1. */
  cited: number,
  verdict: string,
  why?: RegExp,
];

const CASES: readonly Case[] = [
  ["a file that it wrote", ["1 write a.txt"], 1, "proven"],
  ["a file that it read", ["1 look a.txt"], 1, "proven"],
  ["a command with exit code 0", ["1 run make 0"], 1, "proven"],
  ["a command of which no code is known", ["1 run make"], 1, "proven"],
  ["a page that it fetched", ["1 fetch example.com"], 1, "proven"],
  ["a call that does not say what it touches", ["1 anything x"], 1, "proven"],
  ["a file that another wrote before", ["2 write a.txt", "1 look a.txt"], 2, "proven"],
  ["a file beside which another was written", ["1 look a.txt", "2 write b.txt"], 1, "proven"],
  ["a file of a name that another begins with", ["1 look a", "2 write a.txt"], 1, "proven"],
  ["a file that somebody read since", ["1 write a.txt", "2 look a.txt"], 1, "proven"],
  ["a command before which everything was written", ["2 write a.txt", "1 run make 0"], 2, "proven"],
  ["a command, and a page was fetched since", ["1 run make 0", "2 fetch example.com"], 1, "proven"],
  ["a page, and files were written since", ["1 fetch example.com", "2 write a.txt"], 1, "proven"],
  ["a page, and a command was run since", ["1 fetch example.com", "2 run make 0"], 1, "proven"],
  ["a command, and only asked since", ["1 run make 0", "1 ask x"], 1, "proven"],
  ["a command, and only noted since", ["1 run make 0", "1 note x"], 1, "proven"],

  ["a command with exit code 1", ["1 run make 1"], 1, "failed", /^exit code 1$/],
  ["a command with exit code 127", ["1 run make 127"], 1, "failed", /^exit code 127$/],
  ["a command that was ended", ["1 run make timeout"], 1, "failed", /ended: timeout/],
  ["a call that ended in an error", ["1 write a.txt error"], 1, "failed", /error/],
  ["an action that threw", ["1 write a.txt throws"], 1, "failed", /error/],
  ["a tool that says isError", ["1 anything x isError"], 1, "failed", /error/],
  ["a failed read", ["1 look a.txt error"], 1, "failed", /error/],
  ["a failure, whatever was written since", ["1 run make 2", "2 write a.txt"], 1, "failed", /exit code 2/],

  [
    "a file that another wrote since",
    ["1 write a.txt", "2 write a.txt"],
    1,
    "stale",
    /^a\.txt was written since, by Agent 2$/,
  ],
  [
    "a file, and a write since that failed midway",
    ["1 write a.txt", "2 write a.txt error"],
    1,
    "stale",
    /a\.txt/,
  ],
  ["a file that it wrote again", ["1 write a.txt", "1 write a.txt"], 1, "stale", /by Agent 1/],
  ["a file that it read, and another wrote since", ["1 look a.txt", "2 write a.txt"], 1, "stale", /a\.txt/],
  [
    "a folder in which something was written since",
    ["1 look src", "2 write src/a.txt"],
    1,
    "stale",
    /src\/a\.txt/,
  ],
  ["a file whose folder was moved since", ["1 look src/a.txt", "2 move src>lib"], 1, "stale", /src was/],
  ["a file in whose place another was moved", ["1 write b.txt", "2 move a.txt>b.txt"], 1, "stale", /b\.txt/],
  [
    "the whole workspace, and something was written since",
    ["1 look .", "2 write deep/in/a.txt"],
    1,
    "stale",
    /deep\/in/,
  ],
  ["a file by another way to it", ["1 look ./x/../a.txt", "2 write a.txt"], 1, "stale", /a\.txt/],
  [
    "a command, and anything was written since",
    ["1 run make 0", "2 write a.txt"],
    1,
    "stale",
    /a\.txt was written since/,
  ],
  ["a command, and it wrote itself since", ["1 run make 0", "1 write a.txt"], 1, "stale", /by Agent 1/],
  [
    "a command, and another since",
    ["1 run make 0", "2 run rm_-rf_build 0"],
    1,
    "stale",
    /later command of Agent 2 .*not known: rm -rf build/,
  ],
  ["a command, and one since that failed", ["1 run make 0", "2 run clean 1"], 1, "stale", /clean/],
  ["a file, and a command since", ["1 write a.txt", "1 run sed 0"], 1, "stale", /not known: sed/],
  [
    "a file, and a call since that says nothing",
    ["1 write a.txt", "2 anything x"],
    1,
    "stale",
    /not known: anything/,
  ],
  ["a call that says nothing, and a file since", ["1 anything x", "2 write a.txt"], 1, "stale", /a\.txt/],
  [
    "a file, and a command that is still running",
    ["1 write a.txt", "2 run server running"],
    1,
    "stale",
    /server/,
  ],

  ["a note of its own", ["1 note x"], 1, "unknown", /nothing is recorded of what it touched/],
  ["who there is", ["1 register x"], 1, "unknown", /nothing is recorded/],
  ["something unknown", ["1 write_it a.txt"], 1, "unknown", /nothing is recorded/],
  ["a call that came to nothing", ["1 run make idle"], 1, "unknown", /stopped/],
  ["a command that runs on", ["1 run server running"], 1, "unknown", /still running/],
];

describe("a receipt, as it is judged when it is sent", () => {
  for (const [what, steps, cited, verdict, why] of CASES)
    it(`${verdict}: ${what}`, async () => {
      const stage = await createStage();
      const numbers: number[] = [];
      for (const step of steps) numbers.push(await stage.order(step[0]!, step.slice(2)));
      const [receipt] = await stage.cite(`#${numbers[cited - 1]}`);
      expect(receipt).toMatchObject({ agent: "1", seq: numbers[cited - 1], verdict });
      expect(receipt!.why ?? "").toMatch(why ?? /^$/);
    });
});
