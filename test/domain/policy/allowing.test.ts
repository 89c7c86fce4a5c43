import { describe, expect, it } from "vitest";
import { rulesAllowing } from "../../../src/domain/policy/allowing.ts";
import type { Touch } from "../../../src/domain/policy/rule.ts";

function rulesFor(touches: readonly Touch[], rule = "profile workspace"): readonly string[] | undefined {
  return rulesAllowing({ action: "deploy", touches, besides: [], rule });
}

const run = (command: string): Touch => ({ kind: "run", command });
const net = (host: string): Touch => ({ kind: "net", host, port: 443, by: "command" });

describe("the rules that allow what was asked", () => {
  it.each<[string, readonly Touch[], readonly string[]]>([
    ["a command", [run("npm test && echo $HOME")], ["run npm test && echo $HOME"]],
    ["hosts", [net("a.com"), net("::1"), net("a.com")], ["net a.com:443", "net [::1]:443"]],
    ["a message", [{ kind: "send", to: "2" }], ["send 2"]],
    [
      "an action that says nothing of itself",
      [{ kind: "anything", call: 'deploy {"to":"x"}' }],
      ["action deploy"],
    ],
  ])("are exact for %s", (_, touches, rules) => {
    expect(rulesFor(touches)).toEqual(rules);
  });

  it.each<[string, readonly Touch[], string?]>([
    ["a rule asks, which outranks them", [run("npm test")], "run npm * (config.yaml)"],
    ["one of several speakers is no profile", [run("ls")], "profile workspace; the program wants it asked"],
    ["a star of the command would stand for more", [run("rm *")]],
  ])("are none where %s", (_, touches, rule) => {
    expect(rulesFor(touches, rule)).toBeUndefined();
  });
});
