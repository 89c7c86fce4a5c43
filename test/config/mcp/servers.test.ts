import { describe, expect, it } from "vitest";
import { shownEntry } from "../../../src/config/mcp/shown-entry.ts";
import { loadConfig, loadConfigAnyway } from "../../../src/config/load-config.ts";
import { serverGrants } from "../../../src/config/mcp/servers.ts";
import { createTempProject } from "../../temp-project.ts";

it("what entries of MCP servers name of keys is shown to nobody, wherever it comes from", async () => {
  const mcpServers = {
    tickets: {
      command: "x",
      args: ["-y", "files", "--api-key", "${TICKETS}-1", "--level=information", "--password=${TICKETS}-3"],
      env: { TOKEN: "${TICKETS}", LEVEL: "information", SEED: "aB3dE5gH7jK9mN1pQ3sT5" },
    },
    web: { url: "https://example.com", headers: { Authorization: "Bearer ${TICKETS}-2" } },
  };
  const projectDir = await createTempProject({ ".mcp.json": JSON.stringify({ mcpServers }) });
  const env = { TICKETS: "of-the-tickets", XDG_CONFIG_HOME: await createTempProject() };
  const { secrets } = await loadConfig({ projectDir, env, flags: {} });
  expect(secrets()).toEqual([
    { name: "--api-key", value: "of-the-tickets-1" },
    { name: "--password", value: "of-the-tickets-3" },
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

describe("what a person is asked of a server", () => {
  /** The line, and what is granted after the hash; there is a sandbox. */
  async function asked(entry: object, yaml = ""): Promise<readonly string[]> {
    return askedHere(entry, `environment: bubblewrap\n${yaml}`);
  }

  async function askedHere(entry: object, yaml: string, more: object = {}): Promise<readonly string[]> {
    const files = {
      ".mcp.json": JSON.stringify({ mcpServers: { x: entry } }),
      ".ai-legion/config.yaml": yaml,
    };
    const env = { XDG_CONFIG_HOME: await createTempProject(), ...more };
    const { modules, trust } = await loadConfig({
      projectDir: await createTempProject(files),
      env,
      flags: {},
    });
    const [grant] = await serverGrants(modules.mcp, trust);
    const { says, value } = grant!;
    return [says.slice("start the MCP server x, ".length, says.indexOf(": {")), value.slice(32).trim()];
  }

  const npm = [
    "in the sandbox of its agents, reaching registry.npmjs.org",
    "network registry.npmjs.org",
  ] as const;
  const pypi = [
    "in the sandbox of its agents, reaching pypi.org, files.pythonhosted.org",
    "network pypi.org files.pythonhosted.org",
  ] as const;
  const none = ["in the sandbox of its agents, without a network", ""] as const;
  it.each([
    [{ command: "npx", args: ["-y", "server"] }, npm],
    [{ command: "/usr/bin/npx" }, npm],
    [{ command: "bunx" }, npm],
    [{ command: "pnpm", args: ["dlx", "server"] }, npm],
    [{ command: "uvx", args: ["server"] }, pypi],
    [{ command: "pipx", args: ["run", "server"] }, pypi],
    [{ command: "pnpm", args: ["start"] }, none],
    [{ command: "npx-of-mine" }, none],
    [{ command: "node", args: ["npx"] }, none],
  ])("says where %j runs, and what it is fetched from", async (entry, expected) => {
    expect(await asked(entry)).toEqual(expected);
  });

  const writes = [
    "in the sandbox of its agents, writing in the workspace, without a network",
    "writes",
  ] as const;
  it.each([
    [{ command: "files", args: ["."] }, writes],
    [{ command: "files", args: ["--root=./data"] }, writes],
    [{ command: "files", cwd: "data", args: [".."] }, writes],
    [{ command: "files", env: { FILE: "./memory.json" } }, writes],
    [{ command: "files", args: ["/srv", "..", "../other", "@scope/package", "data"] }, none],
  ])(
    "says whether %j may write in the workspace: where it names something there",
    async (entry, expected) => {
      expect(await asked(entry)).toEqual(expected);
    },
  );

  it.each([
    ["outside: [x]", ["without a sandbox", "outside"]],
    ["network: { x: off }", none],
    [
      "network: { x: [a.test, b.test:8443] }",
      ["in the sandbox of its agents, reaching a.test, b.test:8443", "network a.test b.test:8443"],
    ],
    [
      "network: { x: on }",
      ["in the sandbox of its agents, reaching every host and what listens on this machine", "network on"],
    ],
    ["network: { y: on }, outside: [y]", npm],
  ])("is what `mcp: { %s }` says, and that is part of what is granted", async (said, expected) => {
    expect(await asked({ command: "npx" }, `mcp: { ${said} }`)).toEqual(expected);
  });

  it.each([
    ["the config says so", "environment: local", {}],
    ["bubblewrap is not there", "", { PATH: "/nowhere" }],
    ["where it is, a host is named", "mcp: { network: { x: [a.test] } }", { PATH: "/nowhere" }],
  ])("is what holds where there is no sandbox: %s", async (_, yaml, env) => {
    expect(await askedHere({ command: "npx" }, yaml, env)).toEqual(["without a sandbox", "outside"]);
  });

  it.each([
    ["network: { x: sometimes }", /expected off, on, or a list of hosts/],
    ["network: { x: ['a b'] }", /expected off, on, or a list of hosts/],
    ["outside: x", /expected a list of names of MCP servers/],
    ["outsider: [x]", /outsider.*outside/],
  ])("refuses `mcp: { %s }`", async (said, why) => {
    await expect(asked({ command: "npx" }, `mcp: { ${said} }`)).rejects.toThrow(why);
  });
});
