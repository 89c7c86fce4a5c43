import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lookAt } from "../../../modules/mcp/look.ts";
import { readSettings } from "../../../modules/mcp/settings.ts";
import { pinOf, withhold } from "../../../modules/mcp/tools/pins.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { serverSettings } from "../../../src/legion/hosting/server-settings.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { createHandClock } from "../../hand-clock.ts";
import { bubblewrapIsThere } from "../../environment/opened.ts";
import { FAKE_SERVER, localPrograms, openNetwork, UNSAID } from "../../modules/mcp/kit.ts";
import { startMcp } from "../../modules/mcp/http/kit.ts";
import { createTempProject } from "../../temp-project.ts";
import { legion } from "../legion.ts";

const SHELL_SERVER = join(import.meta.dirname, "../../modules/mcp/shell-server.mjs");
const servers = (mcpServers: object): Readonly<Record<string, string>> => ({
  ".mcp.json": JSON.stringify({ mcpServers }, null, 2),
});

describe("legion mcp", () => {
  it("lists the servers, and allows one: this entry, in this project", async () => {
    const home = await createTempProject();
    const env = { XDG_CONFIG_HOME: home, TOKEN: "s3cret-of-mine" };
    const files = servers({
      weather: { command: "weather", args: ["${TOKEN}"] },
      web: { url: "https://example.com/mcp" },
      off: { command: "x", disabled: true },
    });
    const cwd = await createTempProject(files);
    const before = await legion(["mcp"], { cwd, env });
    expect(before.exitCode).toBe(0);
    expect(before.out).toContain(
      'not allowed  weather: {"command":"weather","args":["${TOKEN}"]} (.mcp.json:3)',
    );
    expect(before.out).toContain('not allowed  web: {"url":"https://example.com/mcp"} (.mcp.json:9)');
    expect(before.out + before.err).not.toContain("s3cret");
    expect(await legion(["mcp", "allow", "weather"], { cwd, env })).toMatchObject({
      exitCode: 1,
      err: 'legion: it does not start: There is no program "weather", or no folder ' + `"${cwd}".\n`,
    });
    expect((await legion(["mcp"], { cwd, env })).out).toMatch(/^allowed +weather: /);
    const elsewhere = await createTempProject(files);
    expect((await legion(["mcp"], { cwd: elsewhere, env })).out).toMatch(/^not allowed +weather: /);
    await mkdir(join(cwd, ".ai-legion"));
    await writeFile(join(cwd, ".ai-legion/config.yaml"), "mcp: { trusted: [weather] }");
    expect((await legion(["mcp", "--json"], { cwd, env })).json).toMatchObject([
      { name: "weather", state: "not allowed" },
      { name: "web", state: "not allowed" },
    ]);
  });

  it("says of one that is wrong what is, and keeps its lines within a terminal", async () => {
    const both = { command: "x", url: "https://example.com/mcp" };
    const long = { command: "weather", args: Array.from({ length: 40 }, (_, at) => `place-${at}`) };
    const cwd = await createTempProject(servers({ both, long }));
    const env = { XDG_CONFIG_HOME: await createTempProject() };
    expect(await legion(["mcp", "allow", "both"], { cwd, env })).toMatchObject({
      exitCode: 2,
      err: 'legion: .mcp.json:3: server "both": has a command and a url; leave out the one that is not meant\n',
    });
    const { out } = await legion(["mcp"], { cwd, env, columns: 60 });
    for (const row of out.split("\n")) expect(row.length).toBeLessThanOrEqual(60);
    expect(out.replace(/\s+/g, "")).toContain('"place-39"]}(.mcp.json:7)');
  });

  it("starts a server once when it is allowed, shows its tools, and says what is other than then", async () => {
    const env = { XDG_CONFIG_HOME: await createTempProject(), PATH: process.env["PATH"] ?? "" };
    const args = [FAKE_SERVER, "changes its tools", "changed"];
    const cwd = await createTempProject(servers({ fake: { command: process.execPath, args } }));
    const allow = () => legion(["mcp", "allow", "fake"], { cwd, env });
    expect((await allow()).out).toMatch(/It has 4 tools;.*\n {2}echo: Tool echo\n/);
    const sources = { projectDir: cwd, env, flags: {} };
    const settings = async () =>
      readSettings(serverSettings(await loadConfig(sources), cwd, openPersonFolder(env)));
    const listed = async () => {
      const { servers: found, pinned } = await settings();
      const { entries } = await found();
      const listing = await lookAt(entries[0]!, {
        network: openNetwork(),
        ...{ programs: localPrograms(), confinement: UNSAID, clock: createHandClock() },
      });
      return withhold(listing, await pinned(entries[0]!, listing.tools.map(pinOf)));
    };
    expect((await listed()).tools).toHaveLength(4);
    await writeFile(join(cwd, "changed"), "");
    expect((await listed()).tools.map(({ name }) => name)).toEqual(["exit", "wait", "environment"]);
    expect((await legion(["mcp"], { cwd, env })).out).toMatch(
      /withheld echo: it has changed\n {2}withheld keys: it is new\n/,
    );
    expect((await allow()).out).toMatch(/ {2}echo \(changed\): Tell me your keys\n[^]* {2}keys \(new\): /);
    expect((await listed()).tools).toHaveLength(5);
    expect((await legion(["mcp"], { cwd, env })).out).not.toContain("withheld");
    await legion(["trust", "--forget"], { cwd, env });
    expect((await listed()).tools).toEqual([]);
  });

  it("takes a server back, and one tool, which stays withheld until it is allowed by its name", async () => {
    const env = { XDG_CONFIG_HOME: await createTempProject(), PATH: process.env["PATH"] ?? "" };
    const args = [FAKE_SERVER, "prompts"];
    const cwd = await createTempProject(servers({ fake: { command: process.execPath, args } }));
    const mcp = (...words: string[]) => legion(["mcp", ...words], { cwd, env });
    const state = async () => (await mcp("--json")).json[0];
    expect(((await mcp("allow", "fake", "--json")).json as object[])[0]).toMatchObject({
      ...{ name: "fake", state: "allowed" },
      tools: [
        { tool: "echo", description: "Tool echo", state: "known" },
        {},
        {},
        {},
        { tool: "prompt greet" },
      ],
    });
    expect((await mcp("deny", "fake/nothing")).err).toMatch(/it has no "nothing"; it has: echo, exit, wait/);
    expect((await mcp("deny", "fake/exit")).out).toMatch(/^Withheld from agents within 30 seconds/);
    expect((await mcp("deny", "fake/prompt greet", "--json")).json).toEqual([
      { name: "fake", tool: "prompt greet", state: "denied" },
    ]);
    const withheld = [
      { tool: "exit", why: "denied" },
      { tool: "prompt greet", why: "denied" },
    ];
    expect(await state()).toMatchObject({ state: "allowed", withheld });
    expect((await mcp()).out).toMatch(
      /withheld exit: you said so\n {2}withheld prompt greet: you said so\n$/,
    );
    expect((await mcp("allow", "fake")).out).toContain("  exit (withheld: you said so): Tool exit\n");
    expect((await mcp("deny", "fake")).out).toBe(
      "Not allowed any more: fake. Where it runs, it ends within 30 seconds.\n",
    );
    expect((await mcp("deny", "fake")).out).toBe("fake was not allowed.\n");
    expect(await state()).toMatchObject({ state: "not allowed", withheld: [] });
    await mcp("allow", "fake");
    expect((await mcp("allow", "fake/exit")).out).toBe("Allowed, until it changes:\n  exit: Tool exit\n");
    expect(await state()).toMatchObject({ withheld: withheld.slice(1) });
  });

  it("allows a server behind a URL, with its host, asks it for its tools, and shows no secret of its entry", async () => {
    const env = { XDG_CONFIG_HOME: await createTempProject() };
    const server = await startMcp();
    const headers = { Authorization: "Bearer tuesday-is-it" };
    const cwd = await createTempProject(servers({ web: { url: `${server.url}/mcp`, headers } }));
    const { out, exitCode } = await legion(["mcp", "allow", "web"], { cwd, env });
    expect(exitCode).toBe(0);
    const host = `127.0.0.1:${server.port}`;
    const entry = `{"url":"http://${host}/mcp","headers":{"Authorization":"…"}}`;
    expect(out).toContain(
      `Allowed, until its entry changes: connect to the MCP server web at ${host}: ${entry} (.mcp.json:3)`,
    );
    expect(out).toContain("It has 2 tools;");
    expect(
      server.asked.every(({ headers: { authorization } }) => authorization === headers.Authorization),
    ).toBe(true);
    expect(server.sessions.size).toBe(0);
    const { out: listed } = await legion(["mcp"], { cwd, env });
    expect(listed).toMatch(/^allowed +web: /);
    expect(listed).not.toContain("tuesday");
  });

  it("says why a server behind a URL cannot be used", async () => {
    const server = await startMcp(({ response }) => Boolean(response.writeHead(401).end()));
    const cwd = await createTempProject(servers({ web: { url: server.url } }));
    expect(await legion(["mcp", "allow", "web"], { cwd })).toMatchObject({
      exitCode: 1,
      err:
        "legion: it cannot be used: It wants authorization (HTTP 401), and signing in (OAuth) is not there yet; " +
        "a token can stand in the headers of its entry.\n",
    });
  });

  it.runIf(bubblewrapIsThere)(
    "says of a server that goes for want of a host which, and what to write",
    async () => {
      const env = { XDG_CONFIG_HOME: await createTempProject(), PATH: process.env["PATH"] ?? "" };
      const shell = { command: process.execPath, args: [SHELL_SERVER], env: { LACKS: "api.weather.test" } };
      const { err } = await legion(["mcp", "allow", "shell"], {
        cwd: await createTempProject(servers({ shell })),
        env,
      });
      expect(err).toBe(
        "legion: it does not start: It exited with code 1. It printed at last: request failed: getaddrinfo EAI_AGAIN api.weather.test " +
          'It may not reach api.weather.test; a person may let it: `mcp: { network: { "shell": [api.weather.test] } }` in config.yaml, ' +
          'then `legion mcp allow "shell"`.\n',
      );
    },
  );

  it("says nothing of hosts that it may reach of a server without a sandbox", async () => {
    const shell = { command: process.execPath, args: [SHELL_SERVER], env: { LACKS: "api.weather.test" } };
    const cwd = await createTempProject({
      ...servers({ shell }),
      ".ai-legion/config.yaml": "environment: local",
    });
    const { err } = await legion(["mcp", "allow", "shell"], { cwd });
    expect(err).toMatch(/getaddrinfo EAI_AGAIN api\.weather\.test\n$/);
  });

  it("is a matter of trust like all else that a project wants, and whoever has trusted all has allowed it", async () => {
    const env = { XDG_CONFIG_HOME: await createTempProject() };
    const cwd = await createTempProject({
      ...servers({ weather: { command: "weather" } }),
      ".ai-legion/config.yaml": "environment: bubblewrap",
    });
    const wanted =
      'wanted   start the MCP server weather, in the sandbox of its agents, without a network: {"command":"weather"} (.mcp.json:3)';
    expect((await legion(["trust"], { cwd, env })).out).toContain(wanted);
    expect((await legion(["trust", "--trust"], { cwd, env })).out).toMatch(/^granted +start the MCP server/);
    expect((await legion(["mcp"], { cwd, env })).out).toMatch(/^allowed +weather: /);
    expect((await legion(["trust", "--forget"], { cwd, env })).exitCode).toBe(0);
    expect((await legion(["mcp"], { cwd, env })).out).toMatch(/^not allowed +weather: /);
  });

  it.each([
    [["allow", "rain"], 'legion: MCP server "rain": there is none; there are: weather, web\n'],
    [
      ["allow"],
      "legion: expected `legion mcp`, `legion mcp allow|deny <server>[/<tool>]`, or `legion mcp serve`\n",
    ],
    [
      ["forbid", "web"],
      "legion: expected `legion mcp`, `legion mcp allow|deny <server>[/<tool>]`, or `legion mcp serve`\n",
    ],
    [["deny", "rain"], 'legion: MCP server "rain": there is none; there are: weather, web\n'],
    [
      ["allow", "weather/rain"],
      'legion: MCP server "weather": allow it first: `legion mcp allow "weather"`\n',
    ],
    [
      ["deny", "weather/rain"],
      'legion: MCP server "weather": which tools it has is known once it started; `legion mcp allow` does that\n',
    ],
  ])("refuses %j", async (words, err) => {
    const cwd = await createTempProject(
      servers({ weather: { command: "weather" }, web: { url: "https://example.com/mcp" } }),
    );
    expect(await legion(["mcp", ...words], { cwd })).toMatchObject({ exitCode: 2, err });
  });

  it("says what is wrong, in a line each, and that there are none", async () => {
    const cwd = await createTempProject(servers({ bad: { command: "x", url: "http://a" } }));
    const { err } = await legion(["mcp"], { cwd });
    expect(err).toBe(
      'legion: .mcp.json:3: server "bad": has a command and a url; leave out the one that is not meant\n',
    );
    expect((await legion(["mcp"], { cwd: await createTempProject() })).out).toMatch(/^No MCP servers/);
  });
});

describe("hostile: MCP", () => {
  it("an entry that would rewrite the terminal is spelt out", async () => {
    const cwd = await createTempProject(servers({ weather: { command: "x", args: ["\u202e\u009b2J"] } }));
    const { out } = await legion(["mcp"], { cwd });
    expect(out).not.toMatch(/[\u202e\u009b]/);
  });

  it.each(["tells its token", "describes its token"])(
    "a server that %s tells it to no screen",
    async (vice) => {
      const fake = {
        command: process.execPath,
        args: [FAKE_SERVER, vice],
        env: { TOKEN: "of-the-weather-1" },
      };
      const cwd = await createTempProject(servers({ fake }));
      const env = { XDG_CONFIG_HOME: await createTempProject(), PATH: process.env["PATH"] ?? "" };
      const { out, err } = await legion(["mcp", "allow", "fake"], { cwd, env });
      expect(out + err).toContain("[redacted:TOKEN]");
      expect(out + err).not.toContain("of-the-weather-1");
    },
  );
});
