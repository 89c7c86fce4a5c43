// What people say of policy where they start a legion.

import { describe, expect, it } from "vitest";
import type { Config, ConfigFlags } from "../../src/config/config.ts";
import { isLegionError, messageOf } from "../../src/base/errors.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { createTempProject } from "../temp-project.ts";
import { ownHome } from "../own-config-home.ts";

async function load(flags: ConfigFlags): Promise<Config> {
  return loadConfig({ projectDir: await createTempProject(), env: ownHome(), flags });
}

async function refusal(flags: ConfigFlags): Promise<string> {
  const error: unknown = await load(flags).catch((thrown: unknown) => thrown);
  expect(isLegionError(error, "USAGE"), messageOf(error)).toBe(true);
  return messageOf(error);
}

describe("system.commands, of versions before", () => {
  it("is refused with what takes its place", async () => {
    const projectDir = await createTempProject({ ".ai-legion/config.yaml": "system: { commands: allow }" });
    const error: unknown = await loadConfig({ projectDir, env: ownHome(), flags: {} }).catch(
      (e: unknown) => e,
    );
    expect(messageOf(error)).toBe(
      ".ai-legion/config.yaml:1: system.commands: commands are judged by the policy now: " +
        "write `policy: { allow: [run *] }`, or nothing",
    );
  });
});

describe("--policy", () => {
  it("hears every rule of the command line, and the last profile", async () => {
    const flags = { policy: ["deny run git push *", "read-only", "deny send 2", "full"].join("\0") };
    const { policies } = await load(flags);
    expect(policies.at(-1)).toEqual({
      by: "--policy",
      as: "person",
      profile: "full",
      deny: ["run git push *", "send 2"],
    });
  });

  it.each([
    ["forbid run x", '"forbid" says nothing of a rule; write deny, ask, allow and a rule, or a profile'],
    ["alow run x", '"alow" says nothing of a rule; did you mean allow ...?'],
    ["deny rum x", '"rum x" is no rule; did you mean run ...?'],
    ["deny", '"" is no rule; write one of action mcp__*, read secrets/**,'],
    ["net example.com", '"net" says nothing of a rule; write deny, ask, allow'],
    ["allow net a/b", '"net a/b" is no rule; write a host such as example.com'],
    ["readonly", '"readonly" is no profile; did you mean read-only?'],
    ["", "it is empty; say which, or leave the option out"],
  ])("names what is wrong with --policy %j", async (text, reason) => {
    expect(await refusal({ policy: text })).toContain(`--policy: ${reason}`);
  });
});
