import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ConfigSources } from "../../../src/config/config.ts";
import { isLegionError, messageOf } from "../../../src/base/errors.ts";
import { createTempProject } from "../../temp-project.ts";
import { ownHome } from "../../own-config-home.ts";
import { trustAll } from "../../trusting.ts";
import { loadConfig, loadConfigAnyway } from "../../../src/config/load-config.ts";

interface Given extends Partial<ConfigSources> {
  readonly yaml?: string;
  readonly dotEnv?: string;
}

async function sourcesOf({ yaml, dotEnv, env = {}, flags = {} }: Given): Promise<ConfigSources> {
  const projectDir = await createTempProject({
    ...(yaml !== undefined && { ".ai-legion/config.yaml": yaml }),
    ...(dotEnv !== undefined && { ".env": dotEnv }),
  });
  const sources = { projectDir, env: { ...ownHome(), ...env }, flags };
  await trustAll(sources);
  return sources;
}

async function placeIn(given: Given): Promise<string> {
  const { config, fault } = await loadConfigAnyway(await sourcesOf(given));
  expect(fault).toBeTypeOf("string");
  return config.bus.kind === "redis" ? `${config.bus.address.shown} ${config.name}` : config.bus.kind;
}

async function refusal(given: Given): Promise<string> {
  const loading = loadConfigAnyway(await sourcesOf(given));
  const error: unknown = await loading.catch((thrown: unknown) => thrown);
  expect(isLegionError(error, "CONFIG") || isLegionError(error, "USAGE"), messageOf(error)).toBe(true);
  return messageOf(error);
}

describe("a mistake in the settings", () => {
  it("leaves the defaults, and is told", async () => {
    const { config, fault } = await loadConfigAnyway(
      await sourcesOf({ yaml: "tick: 5s\nmodle: x\n", env: { LEGION_MODEL: "offline" } }),
    );
    expect(fault).toBe('.ai-legion/config.yaml:2: unknown key "modle"; did you mean "model"?');
    expect(config).toMatchObject({ tickMs: 1_000, bus: { kind: "memory" }, durability: "disk" });
    expect(config.model).toBeUndefined();
  });

  it("is none where there is none", async () => {
    const sources = await sourcesOf({ yaml: "tick: 5s\nbus: redis://h\n" });
    const { config, fault } = await loadConfigAnyway(sources);
    expect(fault).toBeUndefined();
    const shown = { environment: "", secrets: "", trust: "", modules: "" };
    expect({ ...config, ...shown }).toEqual({ ...(await loadConfig(sources)), ...shown });
  });

  it.each<[string, Given]>([
    ["redis://h:6379/0 legion", { yaml: "modle: x\nbus: redis://h" }],
    ["redis://h:6379/0 scouts", { yaml: "bus: redis://h # ours\ntick: [\nname: scouts\n" }],
    ["redis://h:6379/0 legion", { yaml: "bus:\n  redis://h\nlimits: 3" }],
    ["redis://h:6379/0 scouts", { yaml: "'bus': redis://h\r\nname: scouts\r\nlimits: 3\r\n" }],
    ["redis://h:6379/0 legion", { yaml: "limits: 3", dotEnv: "LEGION_BUS=redis://h" }],
    ["redis://h:6379/0 legion", { yaml: "limits: 3\nbus: [", env: { LEGION_BUS: "redis://h" } }],
    ["redis://h:6379/0 b", { yaml: "bus: [\nname: ?", flags: { bus: "redis://h", name: "b" } }],
    [
      "redis://h:6379/0 a",
      { yaml: "bus: redis://x\nname: a", env: { LEGION_TICK: "x", LEGION_BUS: "redis://h" } },
    ],
    ["memory", { yaml: "modle: x\n# bus: redis://h\n" }],
    ["memory", { yaml: "tick: [" }],
    ["memory", { yaml: "name: No Name\n" }],
    ["memory", { yaml: "bus: kafka", flags: { bus: "memory" } }],
    ["memory", { env: { LEGION_TICK: "soon" } }],
    ["memory", { dotEnv: "OPENAI_API_KEY: sk-x" }],
  ])("does not lose %s: %j", async (place, given) => {
    expect(await placeIn(given)).toBe(place);
  });

  it.each<[string, Given]>([
    ["config.yaml:1: bus: expected memory, or a URL", { yaml: "bus: kafka" }],
    ['config.yaml:2: unknown key "buss"; did you mean "bus"', { yaml: "tick: x\nbuss: redis://h" }],
    ["config.yaml:1: not valid YAML", { yaml: "bus: [redis://h" }],
    ['config.yaml:1: unknown key "modle"', { yaml: "{ bus: redis://h, modle: x }" }],
    ['config.yaml:3: the key "bus" is here a second time', { yaml: "bus: memory\nx: 1\nbus: redis://h" }],
    ["config.yaml:2: not valid YAML", { yaml: "web:\n\tbus: redis://h" }],
    ['config.yaml:2: unknown key "nmae"; did you mean "name"', { yaml: "bus: redis://h\nnmae: scouts" }],
    ["config.yaml:1: name: expected a name of", { yaml: "name: No Name", env: { LEGION_BUS: "redis://h" } }],
    [".env:1: expected LEGION_BUS=<value>", { dotEnv: "LEGION_BUS: redis://h" }],
    ["LEGION_BUS: expected memory, or a URL", { dotEnv: "LEGION_BUS=h", yaml: "limits: 3" }],
    ["--name: it is empty", { yaml: "limits: 3", flags: { name: "" } }],
    ["--name: only for a legion in Redis", { yaml: "limits: 3", flags: { name: "a" } }],
  ])("ends with %j where another legion could be meant: %j", async (message, given) => {
    expect(await refusal(given)).toContain(message);
  });

  it("says the way out, and repeats no address", async () => {
    expect(await refusal({ yaml: "buss: redis://:secret@h" })).toBe(
      '.ai-legion/config.yaml:1: unknown key "buss"; did you mean "bus"? (this says which legion is meant: put it right, or say --bus)',
    );
  });

  it.skipIf(process.getuid?.() === 0)("ends where the file cannot be read at all", async () => {
    const sources = await sourcesOf({ yaml: "bus: memory" });
    await chmod(join(sources.projectDir, ".ai-legion/config.yaml"), 0);
    await expect(loadConfigAnyway(sources)).rejects.toThrow("EACCES");
  });
});
