import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Legion } from "../../src/index.ts";
import { openTestLegion } from "../../src/testing.ts";
import { isRunningAs, lasting } from "../environment/environment-contract.ts";
import { bubblewrapIsThere } from "../environment/opened.ts";
import { temporaryFolder } from "../world.ts";

const SHELL_SERVER = join(import.meta.dirname, "../modules/mcp/shell-server.mjs");
const AGENT = "---\nmodules: [core]\nmcp: all\npolicy: { allow: [action shell__*] }\n---\nClerk.\n";

interface Said {
  /** config.yaml. */
  readonly config?: string;
  /** What the entry names of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

function filesOf({ config = "", env = {}, args = [] }: Said): Readonly<Record<string, string>> {
  const shell = { command: process.execPath, args: [SHELL_SERVER, ...args], env };
  return {
    ".mcp.json": JSON.stringify({ mcpServers: { shell } }),
    ".ai-legion/config.yaml": config,
    "agents/clerk.md": AGENT,
    ".env": "TOKEN=of-the-project\n",
    "readme.txt": "of the workspace\n",
  };
}

const sh = (script: string) => ({ calls: [{ action: "shell__sh", parameters: { script } }] });

/** What a server says that runs `script` for an agent of a project of which a person trusted all. */
async function run(script: string, said: Said = {}): Promise<string> {
  const legion = await openTestLegion([sh(script), "Done."], { files: filesOf(said), trust: true });
  onTestFinished(() => legion.stop());
  await (await legion.spawn("clerk")).prompt("Go on.");
  return JSON.stringify(legion.model.requests.at(-1)!.turns);
}

/** A process that hosts an agent in `project`, whose server runs `script`; then it prints something, and stays. */
function nodeOf(project: string, script: string) {
  const [library, scripted] = ["library/open.ts", "model/scripted/scripted.ts"].map((path) =>
    JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href),
  );
  const program = `
    import { openLegionIn } from ${library};
    import { createScriptedModel } from ${scripted};
    const project = ${JSON.stringify(project)};
    const model = createScriptedModel(${JSON.stringify([sh(script), "Done."])});
    const env = { PATH: process.env.PATH, HOME: project + "/home", XDG_CONFIG_HOME: project + "/home/config" };
    const legion = await openLegionIn({ env }, { project, model, trust: true });
    await (await legion.spawn("clerk")).prompt("Go on.");
    console.log("ready");
    setInterval(() => undefined, 1000);`;
  const node = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void node.kill("SIGKILL"));
  return node;
}

describe.runIf(bubblewrapIsThere)("an MCP server in the sandbox of its agent", () => {
  it("works in the workspace, with a home of its own", async () => {
    const script = "cat readme.txt; echo new > made; cat made; echo $HOME; touch $HOME/kept && echo ok";
    const said = await run(script, { args: ["."] });
    expect(said).toContain("of the workspace\\nnew\\n/home/agent\\nok\\nexit 0");
  });

  it("sees what its entry names of the environment", async () => {
    expect(await run("echo $OWN", { env: { OWN: "of the entry" } })).toContain("of the entry\\nexit 0");
  });

  it("runs outside where the person said so", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "file"), "of the person");
    const said = await run(`cat ${folder}/file`, { config: "mcp: { outside: [shell] }" });
    expect(said).toContain("of the personexit 0");
  });

  it.each([
    ["agents of the same sandbox share one", "clerk", "left by the clerk"],
    ["an agent of another has another", "other", "No such file"],
  ])("%s", async (_, second, found) => {
    const files = {
      ...filesOf({}),
      "agents/other.md": AGENT.replace(
        "mcp: all",
        "mcp: all\nenvironment: { read: [/var/empty-of-this-test] }",
      ),
    };
    const script = [sh("echo left by the clerk > /tmp/here"), "Done.", sh("cat /tmp/here"), "Done."];
    const legion = await openTestLegion(script, { files, trust: true });
    onTestFinished(() => legion.stop());
    for (const agent of ["clerk", second]) await (await legion.spawn(agent)).prompt("Go on.");
    expect(JSON.stringify(legion.model.requests.at(-1)!.turns)).toContain(found);
  });
});

describe.runIf(bubblewrapIsThere)("hostile: MCP", () => {
  it.each([
    ["reads a file outside the workspace", "cat /etc/hostname /root/.bashrc /home/*/.bashrc; ls /var/lib"],
    ["reads a key of the project", "cat .env; grep -ra of-the-pr[o]ject . /proc/1/environ"],
    ["reads the state of the legion", "ls .ai-legion/agents"],
    ["sees a variable of the runtime", "env | grep -E 'CANARY|XDG_CONFIG_HOME|ANTHROPIC'"],
    ["writes in a workspace that its entry does not name", "echo no > made"],
    ["changes its own entry", "echo '{}' > .mcp.json"],
    ["changes a program of the machine", "touch /usr/bin/ls"],
    ["changes its own files", `touch ${SHELL_SERVER}`],
    ["sees a process of the machine", "ls /proc | grep -x $PPID_OUTSIDE"],
    ["looks for a host by its name", "node -e 'fetch(`http://example.com`).catch(() => process.exit(9))'"],
  ])("a server in the sandbox that %s fails", async (_, script) => {
    process.env["CANARY"] = "of the runtime";
    onTestFinished(() => void delete process.env["CANARY"]);
    const said = await run(script.replace("$PPID_OUTSIDE", String(process.pid)));
    expect(said).toMatch(/exit [1-9]/);
    expect(said).not.toMatch(/of-the-project|of the runtime/);
  });

  it.each([
    ["changes what an agent is", "echo no >> agents/clerk.md"],
    ["reads a key of the project", "cat .env | grep KEY"],
    ["reads the state of the legion", "ls .ai-legion/agents"],
  ])("a server that may write in the workspace and %s fails", async (_, script) => {
    expect(await run(script, { args: ["."] })).toMatch(/exit [1-9]/);
  });

  it.each([
    ["what listens on this machine, without a network", "{}", "ECONNREFUSED"],
    [
      "a private address, whatever is allowed",
      "mcp: { network: { shell: ['*'] } }",
      "only the person can allow it",
    ],
    ["a host that is not allowed", "mcp: { network: { shell: [web.test] } }", "is no host"],
  ])("a server in the sandbox does not reach %s", async (_, config, why) => {
    const server = createServer((_request, response) => response.end("from the web"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const get =
      `node -e 'const p = new URL(process.env.HTTP_PROXY ?? "http://127.0.0.1:${port}"); require("http").get({ host: p.hostname, port: p.port, ` +
      `path: "http://127.0.0.1:${port}/", headers: { "proxy-authorization": "Basic " + Buffer.from(p.username + ":" + p.password).toString("base64") } }, ` +
      `(a) => a.pipe(process.stdout)).on("error", (e) => console.log(e.code))'`;
    const said = await run(get, { config });
    expect(said).not.toContain("from the web");
    expect(said).toContain(why);
  });

  it.each([
    ["in the sandbox", "{}"],
    ["outside", "mcp: { outside: [shell] }"],
  ])(
    "a server %s is ended with all that it started, also when the node is killed and starts again",
    async (_, config) => {
      const project = await temporaryFolder();
      const [begun, stray] = [lasting(), lasting()];
      for (const [path, text] of Object.entries(filesOf({ config }))) {
        await mkdir(dirname(join(project, path)), { recursive: true });
        await writeFile(join(project, path), text);
      }
      const node = nodeOf(project, `${begun} >/dev/null 2>&1 & setsid ${stray} >/dev/null 2>&1 & true`);
      await once(node.stdout, "data");
      for (const each of [begun, stray]) expect(await isRunningAs(each)).toBe(true);
      node.kill("SIGKILL");
      await once(node, "exit");
      const legion = await Legion.open({ project, model: "offline" });
      await legion.stop();
      for (const each of [begun, stray])
        await expect.poll(() => isRunningAs(each), { timeout: 5_000 }).toBe(false);
    },
  );
});
