import { describe, expect, it } from "vitest";
import { loadConfig, loadConfigAnyway } from "../../src/config/load-config.ts";
import { messageOf } from "../../src/base/errors.ts";
import { createTempProject } from "../temp-project.ts";

interface Given {
  readonly yaml?: string;
  readonly dotEnv?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function projectWith({ yaml = "", dotEnv = "" }: Given): Promise<string> {
  return createTempProject({ ".ai-legion/config.yaml": yaml, ".env": dotEnv });
}

/** The values, by name. */
async function secretsOf(given: Given): Promise<readonly string[]> {
  const projectDir = await projectWith(given);
  const { secrets } = await loadConfig({ projectDir, env: given.env ?? {}, flags: {} });
  return secrets().map(({ name, value }) => `${name}: ${value}`);
}

const RANDOM = "v9Kq72fLmZ0vB3tYw5xA";

describe("what is a secret", () => {
  it("is a key of a service, from the environment and from .env", async () => {
    const env = { ANTHROPIC_API_KEY: "sk-ant-of-the-person", PATH: "/usr/bin", LANG: "C" };
    const dotEnv = "ANTHROPIC_API_KEY=sk-ant-of-the-project\nOPENAI_API_KEY=sk-openai-key";
    expect(await secretsOf({ env, dotEnv })).toEqual([
      "ANTHROPIC_API_KEY: sk-ant-of-the-person",
      "ANTHROPIC_API_KEY: sk-ant-of-the-project",
      "OPENAI_API_KEY: sk-openai-key",
    ]);
  });

  it("is what a collector of traces is shown in headers, as it is written and as it is meant", async () => {
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=Bearer%20of-the-collector,x-key=another-key",
    };
    expect(await secretsOf({ env })).toEqual(
      ["Bearer%20of-the-collector", "Bearer of-the-collector", "of-the-collector", "another-key"].map(
        (value) => `OTEL_EXPORTER_OTLP_TRACES_HEADERS: ${value}`,
      ),
    );
  });

  it("is the password of an address, as it is written and as it is meant", async () => {
    const env = { LEGION_BUS: "redis://me:pass%2Fword99@127.0.0.1:6379" };
    expect(await secretsOf({ env })).toEqual([
      "LEGION_BUS: pass%2Fword99",
      "LEGION_BUS: pass/word99",
      "bus: pass/word99",
    ]);
    expect(await secretsOf({ dotEnv: "DATABASE=postgres://app:hunter2hunter2@db/app" })).toEqual([
      "DATABASE: hunter2hunter2",
    ]);
  });

  it("is a variable that config.yaml names, wherever it is set", async () => {
    const yaml = "secrets: [CITY, STREET, NOWHERE]";
    const given = { yaml, env: { CITY: "Paris, in the spring" }, dotEnv: "STREET=rue de rien" };
    expect(await secretsOf(given)).toEqual(["CITY: Paris, in the spring", "STREET: rue de rien"]);
  });

  it.each([
    "STRIPE_KEY",
    "GITHUB_TOKEN",
    "CLIENT_SECRET",
    "DB_PASS",
    "DB_PASSWORD",
    "PGPASSWORD",
    "NPM_AUTH",
    "SENTRY_DSN",
    "API_KEYS",
    "apiKey",
    "AUTH_2",
    "KEY",
    "BASIC_AUTHORIZATION",
    "SSH_PASSPHRASE",
  ])("is a value of .env whose name says so: %s", async (name) => {
    expect(await secretsOf({ dotEnv: `${name}=plain words` })).toEqual([`${name}: plain words`]);
  });

  it.each([
    ["AUTHOR", "Sebastian Mueller"],
    ["KEYBOARD_LAYOUT", "us-international"],
    ["MONKEY_MODE", "very-wild-monkey"],
    ["PASSENGER_PORT", "1234567890"],
    ["NEXTAUTH_URL", "http://localhost:3000"],
    ["HOME_PAGE", "https://example.com/some/longer/path/of/words"],
    ["PROJECT", "my-internal-project-2026-production"],
    ["ROOT", "/usr/local/lib/node20/x86_64-linux-gnu"],
    ["SINCE", "2026-11-23T01:52:23Z"],
    ["GREETING", "Hello World, this is A Test 1 2 3"],
  ])("is no other value of .env: %s=%s", async (name, value) => {
    expect(await secretsOf({ dotEnv: `${name}="${value}"` })).toEqual([]);
  });

  it.each([RANDOM, "0a1f2b9c8d7e6f5a4b3c", "550e8400-e29b-41d4-a716-446655440000"])(
    "is a value of .env that looks random: %s",
    async (value) => {
      expect(await secretsOf({ dotEnv: `ID=${value}` })).toEqual([`ID: ${value}`]);
    },
  );

  it("is each line of a key that has several", async () => {
    const key = `-----BEGIN KEY-----\n${RANDOM}1\n${RANDOM}2\n-----END KEY-----`;
    expect(await secretsOf({ dotEnv: `SSH_KEY="${key}"` })).toEqual([
      `SSH_KEY: ${key}`,
      `SSH_KEY: ${RANDOM}1`,
      `SSH_KEY: ${RANDOM}2`,
    ]);
  });

  it("is in no listing of the config", async () => {
    const projectDir = await projectWith({ dotEnv: `API_KEY=${RANDOM}` });
    const config = await loadConfig({ projectDir, env: {}, flags: {} });
    expect(JSON.stringify(config)).not.toContain(RANDOM);
  });

  it("is known also where a faulty setting is passed over", async () => {
    const projectDir = await projectWith({ yaml: "tick: never", dotEnv: `API_KEY=${RANDOM}` });
    const { config, fault } = await loadConfigAnyway({ projectDir, env: {}, flags: {} });
    expect(fault).toContain("config.yaml:1");
    expect(config.secrets()).toEqual([{ name: "API_KEY", value: RANDOM }]);
  });

  it.each([`secrets: [${RANDOM.replace("v", "9")}]`, "secrets: yes", "secrets: [{ A: b }]"])(
    "is named, never written down: %s",
    async (yaml) => {
      const refusal = messageOf(await secretsOf({ yaml }).catch((error: unknown) => error));
      expect(refusal).toMatch(/^\.ai-legion\/config\.yaml:1.*: expected a list of names of variables/);
      expect(refusal).not.toContain(RANDOM.slice(1));
    },
  );
});
