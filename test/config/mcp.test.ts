import { expect, it } from "vitest";
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
