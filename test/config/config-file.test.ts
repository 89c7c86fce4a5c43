// config.yaml as people meet it: what `legion init` writes, what lies in this repository, and what editors know of it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { configJsonSchema } from "../../src/config/files/json-schema.ts";
import { fileSettings } from "../../src/config/files/config-schema.ts";
import { packageDir } from "../../src/base/package.ts";
import { parseYaml } from "../../src/config/files/yaml.ts";
import { legion } from "../cli/legion.ts";
import { buildProgram } from "../cli/program.ts";
import { temporaryFolder } from "../world.ts";

const CONFIG = await readFile(join(packageDir, "starter/.ai-legion/config.yaml"), "utf8");
const HEAD_LINES = 2;

const lines = CONFIG.split("\n").slice(HEAD_LINES);
const settings = lines.filter((line) => line !== "");
const levelOf = (line: string): number => /^# ( *)/.exec(line)![1]!.length;

/** The line without its mark, below the lines that it belongs to. */
function uncommented(index: number): string {
  const chosen = [settings[index]!];
  for (const line of settings.slice(0, index).reverse())
    if (levelOf(line) < levelOf(chosen[0]!)) chosen.unshift(line);
  return chosen.map((line) => line.replace(/^# /, "")).join("\n");
}

const parse = (text: string) => parseYaml({ file: "config.yaml", text, firstLine: 1 }, fileSettings);

describe("the settings that config.yaml offers in comments", () => {
  it.each(settings.map((line, index) => [line, index] as const))(
    "are valid and explained, each by itself: %s",
    async (line, index) => {
      expect(line).toMatch(/^# {1,5}[a-z][\w/]*:.* # \S/i);
      await parse(uncommented(index));
    },
  );

  it("are all that there are, and valid together", async () => {
    const all = await parse(lines.map((line) => line.replace(/^# /, "")).join("\n"));
    expect(Object.keys(all).sort()).toEqual(KEYS);
  });
});

it("the config.yaml of this repository is the same, with the schema of this clone", async () => {
  const own = await readFile(fileURLToPath(new URL("../../.ai-legion/config.yaml", import.meta.url)), "utf8");
  expect(own).toBe(CONFIG.replace("config.schema.json", "../dist/config.schema.json"));
});

/** `system` only tells what took its place. */
const KEYS = Object.keys(fileSettings.shape)
  .filter((key) => key !== "system")
  .sort();

describe("the JSON Schema of config.yaml", () => {
  beforeAll(buildProgram, 120_000);

  it("is in the package", async () => {
    const text = await readFile(join(packageDir, "dist/config.schema.json"), "utf8");
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
  });

  it("lies beside a new config.yaml, whose first line names it on any machine", async () => {
    const cwd = await temporaryFolder();
    const { out } = await legion(["init"], { cwd });
    expect(out).toContain("wrote  .ai-legion/config.schema.json");
    const config = await readFile(join(cwd, ".ai-legion/config.yaml"), "utf8");
    expect(config.split("\n")[0]).toBe("# yaml-language-server: $schema=config.schema.json");
    const text = await readFile(join(cwd, ".ai-legion/config.schema.json"), "utf8");
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
    expect(await readFile(join(cwd, ".gitignore"), "utf8")).toContain("!/.ai-legion/config.schema.json\n");
    const doctor = await legion(["doctor"], { cwd });
    expect(doctor.out).not.toContain("schema");
  });

  it("takes what the runtime takes, and knows every key", async () => {
    const schema = z.fromJSONSchema(configJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
    const { parse: read } = await import("yaml");
    const all: unknown = read(lines.map((line) => line.replace(/^# /, "")).join("\n"));
    expect(schema.safeParse(all).error).toBeUndefined();
    for (const good of [
      { limits: "none" },
      { limits: { agent: "none" } },
      { tick: 5 },
      { memory: { pin: "top" } },
    ])
      expect(schema.safeParse(good).error).toBeUndefined();
    for (const bad of [
      { modell: "x" },
      { memory: { pin: "left" } },
      { durability: "some" },
      { web: { page: 1 } },
      { limits: { legion: { turns: 5 } } },
    ])
      expect(schema.safeParse(bad).success).toBe(false);
    const { properties = {} } = configJsonSchema();
    for (const property of Object.values(properties)) expect(property).toHaveProperty("description");
  });
});
