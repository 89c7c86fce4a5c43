import { describe, expect, it } from "vitest";
import type { DoctorFinding } from "../../../src/cli/doctor/finding.ts";
import { createTempProject } from "../../temp-project.ts";
import { legion } from "../legion.ts";

async function webSearch(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) {
  const { exitCode, json, out } = await legion(["doctor", "--json"], {
    cwd: await createTempProject(files),
    env,
  });
  const finding = (json as readonly DoctorFinding[]).find(({ check }) => check === "web search");
  return { exitCode, out, ...finding };
}

describe("the web search that doctor shows", () => {
  it("is none, with the ways to one", async () => {
    expect(await webSearch({})).toMatchObject({
      exitCode: 0,
      status: "missing",
      detail: expect.stringMatching(
        /^none.*: set BRAVE_API_KEY, .*SEARXNG_URL.*GOOGLE_SEARCH_ENGINE_ID.*docs\/web\.md/,
      ),
    });
  });

  it("is the one that agents use, and where its key came from, without the key", async () => {
    const { out, status, detail } = await webSearch(
      { ".env": "BRAVE_API_KEY=b-secret" },
      { TAVILY_API_KEY: "t-secret" },
    );
    expect([status, detail]).toEqual(["ok", "Brave Search: BRAVE_API_KEY is set in .env"]);
    expect(out).not.toContain("secret");
  });

  it("is wrong where it cannot work", async () => {
    const config = { ".ai-legion/config.yaml": "web: { search: { provider: tavily } }" };
    expect(await webSearch(config)).toMatchObject({
      exitCode: 0,
      status: "wrong",
      detail: ".ai-legion/config.yaml chooses Tavily: set TAVILY_API_KEY in the environment or in .env.",
    });
  });
});

describe("the browser that doctor shows", () => {
  async function browser(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) {
    const { exitCode, json } = await legion(["doctor", "--json"], {
      cwd: await createTempProject(files),
      env,
    });
    return { exitCode, ...(json as readonly DoctorFinding[]).find(({ check }) => check === "browser") };
  }

  it("is none where the person wants none", async () => {
    expect(await browser({ ".ai-legion/config.yaml": "web: { browser: off }" }, {})).toMatchObject({
      exitCode: 0,
      status: "ok",
      detail: "off: pages are read without running their scripts",
    });
  });

  it("is wrong where the one that is named does not exist", async () => {
    expect(await browser({}, { PUPPETEER_EXECUTABLE_PATH: "/nowhere/chrome" })).toMatchObject({
      exitCode: 0,
      status: "wrong",
      detail: "/nowhere/chrome is no program, so pages are read without running their scripts",
    });
  });
});
