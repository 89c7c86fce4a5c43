import { describe, expect, it } from "vitest";
import { startLmStudio, startOllama } from "../../local-servers.ts";
import { createTempProject } from "../../temp-project.ts";
import { legion, type Typing } from "../legion.ts";

interface Listed {
  readonly name: string;
  readonly default: boolean;
  readonly why?: string;
  readonly host?: string;
  readonly window: number;
  readonly price: object | null;
  readonly tools: boolean;
  readonly assumed: boolean;
}

async function list(env: Typing["env"] = {}, files: Readonly<Record<string, string>> = {}) {
  const cwd = await createTempProject(files);
  if (".ai-legion/config.yaml" in files) await legion(["trust", "--trust"], { cwd, env });
  const { json, exitCode, err } = await legion(["models", "--json"], { cwd, env });
  const models = json as readonly Listed[];
  const { out } = await legion(["models"], { cwd, env, columns: 100 });
  const of = (name: string): Listed | undefined => models.find((model) => model.name === name);
  return { models, names: models.map(({ name }) => name), of, out, err, exitCode };
}

describe("legion models", () => {
  it("lists what can be used without any key, and how to get more", async () => {
    const { names, of, out, exitCode } = await list();
    expect(exitCode).toBe(0);
    expect(names).toEqual(["offline"]);
    expect(of("offline")).toMatchObject({ default: true, why: expect.stringContaining("no ANTHROPIC") });
    expect(out).toContain("* offline");
    for (const variable of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"])
      expect(out).toContain(variable);
  });

  it("lists the known models of a provider whose key is there, without asking it, and never the key", async () => {
    const { names, of, out } = await list({
      ANTHROPIC_API_KEY: "sk-secret",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    });
    expect(of("anthropic/claude-sonnet-5-5")).toMatchObject({
      default: true,
      why: "ANTHROPIC_API_KEY is set",
      window: 1_000_000,
      tools: true,
      assumed: false,
    });
    expect(names.some((name) => name.startsWith("openai/"))).toBe(false);
    expect(out).not.toContain("secret");
    const both = await list({ ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" });
    expect(both.of("openai/gpt-4o")).toMatchObject({ price: { input: 2.5, output: 10, cacheRead: 1.25 } });
    expect(both.of("openai/gpt-6.2-sol")).toMatchObject({ tools: false });
    expect(both.out).toMatch(/^\* anthropic\/claude-sonnet-5-5 +1M +\$2 +\$10 +yes$/m);
    expect(both.models.filter((model) => model.default)).toHaveLength(1);
  });

  it.each([startOllama, startLmStudio])(
    "asks a server for what it has, and shows what is assumed: %o",
    async (start) => {
      const server = await start([{ id: "qwen3:8b" }, { id: "text-embedding-x", can: "embed" }]);
      const { names, of, out } = await list({ OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: "any" });
      expect(names).toEqual(["openai/qwen3:8b", "offline"]);
      expect(of("openai/qwen3:8b")).toEqual({
        name: "openai/qwen3:8b",
        default: true,
        why: "its only model; OPENAI_BASE_URL is set",
        host: server.host,
        window: 32_000,
        maxOutput: 4_096,
        price: { input: 0, output: 0 },
        tools: true,
        assumed: true,
      });
      expect(out).toMatch(/^\* openai\/qwen3:8b +32k\? +free +free +yes\? +127\.0\.0\.1:\d+$/m);
      expect(out).toContain("? assumed");
    },
  );

  it("shows what config.yaml says of a model, also where it is the price of a local one", async () => {
    const server = await startOllama([{ id: "qwen3:8b" }, { id: "mine" }]);
    const config = `models:
  openai/qwen3:8b: { window: 8192, tools: off, price: { input: 1, output: 2 } }
  openai/other: { window: 4000 }`;
    const { of, err, out } = await list(
      { OPENAI_BASE_URL: server.baseUrl },
      { ".ai-legion/config.yaml": config },
    );
    expect(of("openai/qwen3:8b")).toMatchObject({
      window: 8_192,
      tools: false,
      price: { input: 1, output: 2 },
      assumed: false,
      default: false,
    });
    expect(of("openai/other")).toMatchObject({ window: 4_000 });
    // Two models and no choice: there is no default, and why.
    for (const said of [err, out]) expect(said).toContain("There is no default: ");
    const chosen = await list({ OPENAI_BASE_URL: server.baseUrl, LEGION_MODEL: "openai/mine" });
    expect(chosen.of("openai/mine")).toMatchObject({ default: true, why: "LEGION_MODEL is set" });
    expect(chosen.err).toBe("");
  });

  it("lists the rest where nobody answers, and says so", async () => {
    const gone = await startOllama([]);
    await gone.close();
    const { names, err, out, exitCode } = await list({
      ANTHROPIC_API_KEY: "a",
      OPENAI_BASE_URL: gone.baseUrl,
    });
    expect(exitCode).toBe(0);
    expect(names).toContain("anthropic/claude-sonnet-5-5");
    expect(names.at(-1)).toBe("offline");
    for (const said of [err, out]) expect(said).toContain("nobody answers at");
  });

  it("asks nobody whom a key of the person would be given to", async () => {
    const server = await startOllama([{ id: "x" }]);
    const config = "providers: { openai: { baseUrl: 'https://evil.example/v1' } }";
    const { names, err } = await list({ OPENAI_API_KEY: "sk-secret" }, { ".ai-legion/config.yaml": config });
    expect(names).toEqual(["offline"]);
    expect(err).toContain("your OPENAI_API_KEY with them");
    expect(server.requests).toEqual([]);
  });
});

describe("legion doctor", () => {
  const examine = async (env: Typing["env"]) => {
    const { json } = await legion(["doctor", "--json"], { cwd: await createTempProject({}), env });
    const findings = json as readonly { check: string; status: string; detail: string }[];
    return (check: string) => findings.find((finding) => finding.check === check);
  };

  it("asks the server what it has", async () => {
    const server = await startLmStudio([{ id: "qwen/qwen3-8b" }]);
    const of = await examine({ OPENAI_BASE_URL: server.baseUrl });
    expect(of("model server")).toEqual({
      check: "model server",
      status: "ok",
      detail: `${server.baseUrl} has 1 to chat with: qwen/qwen3-8b`,
    });
    expect(of("model")).toMatchObject({
      status: "ok",
      detail: expect.stringContaining("openai/qwen/qwen3-8b"),
    });
    const misspelt = await examine({ OPENAI_BASE_URL: server.baseUrl, LEGION_MODEL: "openai/qwen3" });
    expect(misspelt("model")).toMatchObject({
      status: "warning",
      detail: expect.stringContaining("does not list it"),
    });
    expect((await examine({}))("model server")).toBeUndefined();
  });

  it("says when nobody is there, or when there are several to choose from", async () => {
    const gone = await startOllama([]);
    await gone.close();
    const of = await examine({ OPENAI_BASE_URL: gone.baseUrl });
    expect(of("model server")).toMatchObject({
      status: "wrong",
      detail: expect.stringContaining("nobody answers at"),
    });
    const two = await startOllama([{ id: "a" }, { id: "b" }]);
    const which = await examine({ OPENAI_BASE_URL: two.baseUrl });
    expect(which("model")).toMatchObject({
      status: "wrong",
      detail: expect.stringContaining("openai/a, openai/b"),
    });
  });
});
