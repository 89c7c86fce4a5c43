import { expect, it } from "vitest";
import { secretsIn } from "../../../../src/cli/run/start/secrets.ts";
import { loadConfig } from "../../../../src/config/config.ts";
import { createTempProject } from "../../../temp-project.ts";

it("knows every key and every password that a legion is given, so that none is logged", async () => {
  const env = {
    ANTHROPIC_API_KEY: "a-key",
    OPENAI_BASE_URL: "http://user:url-password@h/v1",
    BRAVE_API_KEY: "b-key",
    TAVILY_API_KEY: " t-key ",
    SEARXNG_URL: "http://user:searx-password@h",
    LEGION_BUS: "redis://:bus-password@h",
  };
  const projectDir = await createTempProject({ ".env": "GOOGLE_API_KEY=g-key\nOTHER_KEY=not-ours" });
  const secrets = secretsIn(await loadConfig({ projectDir, env, flags: {} }));
  expect([...secrets].sort()).toEqual([
    "a-key",
    "b-key",
    "bus-password",
    "g-key",
    "searx-password",
    "t-key",
    "url-password",
  ]);
});
