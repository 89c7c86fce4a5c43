import { expect, it } from "vitest";
import { shownEntry } from "../../src/config/shown-entry.ts";
import { loadConfig, loadConfigAnyway } from "../../src/config/load-config.ts";
import { createTempProject } from "../temp-project.ts";

it("what entries of MCP servers name of keys is shown to nobody, wherever it comes from", async () => {
  const mcpServers = {
    tickets: {
      command: "x",
      env: { TOKEN: "${TICKETS}", LEVEL: "information", SEED: "aB3dE5gH7jK9mN1pQ3sT5" },
    },
    web: { url: "https://example.com", headers: { Authorization: "Bearer ${TICKETS}-2" } },
  };
  const projectDir = await createTempProject({ ".mcp.json": JSON.stringify({ mcpServers }) });
  const env = { TICKETS: "of-the-tickets", XDG_CONFIG_HOME: await createTempProject() };
  const { secrets } = await loadConfig({ projectDir, env, flags: {} });
  expect(secrets()).toEqual([
    { name: "TOKEN", value: "of-the-tickets" },
    { name: "SEED", value: "aB3dE5gH7jK9mN1pQ3sT5" },
    { name: "Authorization", value: "Bearer of-the-tickets-2" },
    { name: "Authorization", value: "of-the-tickets-2" },
  ]);
});

it("the keys of MCP servers are hidden where the config is faulty, too", async () => {
  const tickets = { command: "x", env: { TOKEN: "${TICKETS}" } };
  const projectDir = await createTempProject({
    ".mcp.json": JSON.stringify({ mcpServers: { tickets } }),
    ".ai-legion/config.yaml": "nonsense: 1",
  });
  const env = { TICKETS: "of-the-tickets", XDG_CONFIG_HOME: await createTempProject() };
  const { config, fault } = await loadConfigAnyway({ projectDir, env, flags: {} });
  expect(fault).toContain("nonsense");
  expect(config.secrets()).toEqual([{ name: "TOKEN", value: "of-the-tickets" }]);
});

it("what stands in the URL of an entry and is a secret is shown to nobody, either", async () => {
  const mcpServers = { web: { url: "https://a.test/s/aB3dE5gH7jK9mN1pQ3sT5/mcp?token=of-the-tickets&x=1" } };
  const projectDir = await createTempProject({ ".mcp.json": JSON.stringify({ mcpServers }) });
  const env = { XDG_CONFIG_HOME: await createTempProject() };
  const { secrets } = await loadConfig({ projectDir, env, flags: {} });
  expect(secrets()).toEqual([
    { name: "path-2", value: "aB3dE5gH7jK9mN1pQ3sT5" },
    { name: "token", value: "of-the-tickets" },
  ]);
});

it.each([
  [{ env: { TOKEN: "tuesday-is-it", LEVEL: "info" } }, { env: { TOKEN: "…", LEVEL: "info" } }],
  [{ env: { TOKEN: "${TOKEN}" } }, { env: { TOKEN: "${TOKEN}" } }],
  [{ env: { TOKEN: "${TOKEN:-tuesday-is-it}" } }, { env: { TOKEN: "…" } }],
  [{ headers: { Authorization: "Bearer ${KEY}" } }, { headers: { Authorization: "Bearer ${KEY}" } }],
  [
    { headers: { Authorization: "Bearer tuesday", "X-A": "b" } },
    { headers: { Authorization: "…", "X-A": "b" } },
  ],
  [{ headers: { "X-Odd": "aB3dE5gH7jK9mN1pQ3sT5" } }, { headers: { "X-Odd": "…" } }],
  [
    { url: "https://a.test/s/aB3dE5gH7jK9mN1pQ3sT5?token=x-y-z&n=1" },
    { url: "https://a.test/s/…?token=…&n=1" },
  ],
  [{ url: "https://${HOST}/mcp?key=${KEY}" }, { url: "https://${HOST}/mcp?key=${KEY}" }],
  [
    { args: ["--api-key", "tuesday", "--token=tuesday", "-y", "x"] },
    { args: ["--api-key", "…", "--token=…", "-y", "x"] },
  ],
  [{ other: { password: "tuesday" } }, { other: { password: "…" } }],
])("an entry is shown without its secrets: %j", (written, seen) => {
  expect(JSON.parse(shownEntry({ says: JSON.stringify(written) }))).toEqual(seen);
});
