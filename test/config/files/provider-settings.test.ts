// How providers are reached: what the person's file, a project and a program say of it.

import { mkdir, writeFile } from "node:fs/promises";
import { inspect } from "node:util";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isLegionError, messageOf } from "../../../src/base/errors.ts";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import type { Config, ConfigSources } from "../../../src/config/config.ts";
import type { ProgramProviders } from "../../../src/config/files/provider-settings.ts";
import { connect, type Connection } from "../../../src/model/registry/connection.ts";
import { openModel } from "../../../src/model/registry/registry.ts";
import { createTempProject } from "../../temp-project.ts";
import { loadTrusted } from "../../trusting.ts";

interface Said {
  readonly person?: string;
  readonly project?: string;
  readonly program?: ProgramProviders;
  readonly env?: Readonly<Record<string, string>>;
}

const TOKEN = "tok_7Hq2mX9vLs4TbN1c";
const KEY = "sk-of-the-environment-0";
const ENV = { TEAM_TOKEN: TOKEN, ANTHROPIC_API_KEY: KEY };
const HEADERS = 'providers: { anthropic: { headers: { X-Team: "${TEAM_TOKEN}" } } }\n';

async function load({ person = "", project = "", program, env = ENV }: Said): Promise<Config> {
  const home = await createTempProject();
  await mkdir(join(home, "ai-legion"), { mode: 0o700 });
  await writeFile(join(home, "ai-legion/config.yaml"), person, { mode: 0o600 });
  const projectDir = await createTempProject({ ".ai-legion/config.yaml": project });
  const sources: ConfigSources = { projectDir, env: { ...env, XDG_CONFIG_HOME: home }, flags: {} };
  return loadTrusted({ ...sources, providers: program });
}

function reach({ environment, providers }: Config): Connection {
  return connect("anthropic", { env: environment(), providers });
}

async function refusal(said: Said): Promise<string> {
  const error: unknown = await load(said)
    .then(reach)
    .catch((thrown: unknown) => thrown);
  expect(isLegionError(error, "CONFIG") || isLegionError(error, "USAGE"), messageOf(error)).toBe(true);
  expect(messageOf(error)).not.toContain(TOKEN);
  return messageOf(error);
}

describe("how a provider is reached", () => {
  it("is said by the person, then the project, then a program, each as far as it says something", async () => {
    const person =
      "providers: { anthropic: { timeout: 5m, maxOutput: 8000, baseUrl: http://localhost:1/p } }\n";
    const project = "providers: { anthropic: { timeout: 90s, baseUrl: http://localhost:2/c } }\n";
    expect(reach(await load({ person, project }))).toEqual({
      apiKey: KEY,
      baseUrl: "http://localhost:2/c",
      timeoutMs: 90_000,
      maxOutput: 8_000,
    });
    const program = {
      anthropic: { apiKey: "sk-of-the-program-00", baseUrl: "http://localhost:3", timeout: 1_000 },
    };
    expect(reach(await load({ person, project, program }))).toMatchObject({
      apiKey: "sk-of-the-program-00",
      baseUrl: "http://localhost:3",
      timeoutMs: 1_000,
      maxOutput: 8_000,
    });
  });

  it("has headers of the person and of a program, with variables of the environment in them", async () => {
    const program = { anthropic: { headers: { "X-App": "garden", "X-Team": "Bearer ${TEAM_TOKEN}" } } };
    expect(reach(await load({ person: HEADERS })).headers).toEqual({ "X-Team": TOKEN });
    expect(reach(await load({ person: HEADERS, program })).headers).toEqual({
      "X-App": "garden",
      "X-Team": `Bearer ${TOKEN}`,
    });
  });

  it("shows no header and no key: they are secrets, and no listing of the config has them", async () => {
    const written = 'providers: { anthropic: { headers: { Authorization: "Bearer written-down-4711" } } }\n';
    const program = { anthropic: { apiKey: "sk-of-the-program-00", headers: { "X-Team": "${TEAM_TOKEN}" } } };
    const config = await load({ person: written, program });
    expect(inspect(config, { depth: Infinity }) + JSON.stringify(config)).not.toMatch(
      /written-down|tok_7H|sk-of/,
    );
    const { text } = createRedactor(config.secrets());
    expect(text(`${TOKEN} sk-of-the-program-00`)).toBe("[redacted:TEAM_TOKEN] [redacted:ANTHROPIC_API_KEY]");
    expect(text("written-down-4711")).toBe("[redacted:providers.anthropic.headers.Authorization]");
  });

  it("hides a header also where a variable is only a short part of it", async () => {
    const person = 'providers: { openai: { headers: { X-Key: "Bearer written-down-${SHORT}" } } }\n';
    const { text } = createRedactor((await load({ person, env: { SHORT: "47" } })).secrets());
    expect(text("It is written-down-47.")).toBe("It is [redacted:providers.openai.headers.X-Key].");
  });

  it("makes no secret of the words of a header, but of all of them together", async () => {
    const written = 'providers: { openai: { headers: { X-Title: "Garden of documentation" } } }\n';
    const { text } = createRedactor((await load({ person: written })).secrets());
    expect(text("The documentation is here.")).toBe("The documentation is here.");
    expect(text("Garden of documentation")).toBe("[redacted:providers.openai.headers.X-Title]");
  });

  it("says how long answers may be, unless somebody says so of the model itself", async () => {
    const project =
      "providers: { anthropic: { maxOutput: 5000 } }\nmodels: { anthropic/claude-x: { maxOutput: 700 } }\n";
    const { environment, providers, models } = await load({ project });
    const open = (name: string) => openModel(name, { env: environment(), dir: "/", providers, models });
    expect((await open("anthropic/claude-sonnet-5-5")).profile.maxOutput).toBe(5_000);
    expect((await open("anthropic/claude-x")).profile.maxOutput).toBe(700);
  });

  it.each<[string, Said, string]>([
    [
      "headers in a project",
      { project: "providers: { openai: { headers: { X-A: b } } }\n" },
      ".ai-legion/config.yaml:1: providers.openai.headers: a project says no headers: write them in your own file",
    ],
    [
      "a variable that is not set",
      { person: HEADERS, env: {} },
      "providers.anthropic.headers.X-Team: TEAM_TOKEN is not set in the environment",
    ],
    [
      "a variable of a program that is not set",
      { person: HEADERS, program: { anthropic: { headers: { "X-Own": "${OWN_TOKEN}" } } } },
      "Legion.open: providers.anthropic.headers.X-Own: OWN_TOKEN is not set in the environment",
    ],
    [
      "a variable that no header can hold",
      { person: HEADERS, env: { TEAM_TOKEN: `${TOKEN}\r\nHost: evil` } },
      "a variable in it holds more than the printable ASCII that a header may",
    ],
    [
      "a value that no header can hold",
      { program: { anthropic: { headers: { "X-A": "a\nb" } } } },
      "providers: anthropic.headers.X-A: expected plain ASCII",
    ],
    [
      "a name that is none",
      { program: { openai: { headers: { "X A": "b" } } } },
      "expected the name of a header such as X-Team",
    ],
    [
      "a header that says where a request goes",
      { program: { openai: { headers: { Host: "evil.example" } } } },
      "this header is not yours to set",
    ],
    [
      "a base URL of the project that would take the person's headers along",
      {
        person: HEADERS,
        env: { TEAM_TOKEN: TOKEN },
        project: "providers: { anthropic: { baseUrl: https://evil.example } }\n",
      },
      "sends requests for anthropic to https://evil.example, and your headers with them",
    ],
    [
      "a time that is none",
      { program: { anthropic: { timeout: "soon" } } },
      "providers: anthropic.timeout: ",
    ],
  ])("refuses %s", async (_, said, why) => {
    expect(await refusal(said)).toContain(why);
  });
});
