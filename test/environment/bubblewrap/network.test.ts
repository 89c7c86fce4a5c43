import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createNetwork } from "../../../src/environment/network/network.ts";
import type { EnvironmentChoice } from "../../../src/environment/settings.ts";
import { bubblewrapIsThere, openChosen, placeIn } from "../opened.ts";

const GET = (url: string): string =>
  `node -e 'require("http").get({ host: "127.0.0.1", port: 3128, path: "${url}", headers: { ` +
  `"proxy-authorization": "Basic " + Buffer.from(process.env.HTTP_PROXY.split("/")[2].split("@")[0]).toString("base64") ` +
  `} }, (answer) => answer.pipe(process.stdout))'`;

describe.runIf(bubblewrapIsThere)("the network of a sandboxed command", () => {
  let workspace: string;
  let server: Server;
  let port: number;
  beforeEach(async () => {
    workspace = await realpath(await mkdtemp("/var/tmp/legion-network-"));
    server = createServer((_, response) => response.end("from the web"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(async () => {
    server.close();
    await rm(workspace, { recursive: true, force: true });
  });

  function openWith(choice: EnvironmentChoice) {
    const lookup = (): Promise<readonly string[]> => Promise.resolve(["127.0.0.1"]);
    const network = createNetwork({ allowPrivate: ["web.test", "other.test"], lookup });
    return openChosen({ kind: "bubblewrap", ...choice }, { ...placeIn(workspace), network });
  }

  /** @param choice with `web.test` and `other.test` on this machine, which a person allowed */
  async function run(choice: EnvironmentChoice, command: string, hosts?: readonly string[]) {
    const environment = await openWith(choice);
    const { signal } = new AbortController();
    return environment.execute(command, { cwd: workspace, timeoutMs: 20_000, signal, hosts });
  }

  it("is none where nobody allowed a host (E8)", async () => {
    const { output } = await run(
      {},
      'echo "$HTTP_PROXY$HTTPS_PROXY"; cat /proc/net/dev | tail -n +3 | grep -v lo:',
    );
    expect(output).toBe("\n");
  });

  it.each([
    "node -e 'fetch(`http://web.test`)'",
    "bash -c 'echo > /dev/tcp/192.0.2.1/80'",
    "git ls-remote https://web.test/repository",
  ])("says how to ask for a host where a command found none: %s (E8)", async (command) => {
    const { remarks } = await run({}, command);
    expect(remarks).toEqual([
      "Commands have no network here: name the hosts that this one needs in the parameter network, such as `network: example.com`.",
    ]);
  });

  it("says nothing of it to a command that fails otherwise, or got on without", async () => {
    const failed = await run({}, "echo 'could not resolve: merge' >&2; exit 1");
    const ended = await run({}, "git ls-remote https://web.test/repository || true");
    expect([failed.remarks, ended.remarks]).toEqual([undefined, undefined]);
  });

  it("reaches the hosts that the settings allow, by the proxy of the runtime (E8)", async () => {
    const { output, exitCode, remarks } = await run(
      { network: [`web.test:${port}`] },
      GET(`http://web.test:${port}/`),
    );
    expect({ output, exitCode, remarks }).toEqual({
      output: "from the web",
      exitCode: 0,
      remarks: undefined,
    });
  });

  it("reaches the hosts that were allowed for one command (E8)", async () => {
    const { output } = await run({}, GET(`http://web.test:${port}/`), [`*.test:${port}`]);
    expect(output).toBe("from the web");
  });

  it("names a host that was refused (E8)", async () => {
    const { output, remarks } = await run(
      { network: [`web.test:${port}`] },
      GET(`http://other.test:${port}/`),
    );
    expect(output).not.toContain("from the web");
    expect(remarks).toEqual([
      expect.stringContaining(`\`other.test:${port}\` is no host that this command may reach`),
    ]);
  });

  it.each(["127.0.0.1", "localhost", "metadata.test", "[::ffff:127.0.0.1]"])(
    "reaches no private address, also where every host is allowed: %s (E8)",
    async (host) => {
      const { output, remarks } = await run({ network: ["*"] }, GET(`http://${host}:${port}/`));
      expect(output).not.toContain("from the web");
      expect(remarks).toHaveLength(1);
    },
  );

  it.each([
    ["what is named for it", "web.test", "from the web", []],
    ["nothing else, and knows what it missed", "other.test", "", ["other.test"]],
  ])("is for a program %s, whatever commands reach (E8)", async (_, host, said, missed) => {
    const environment = await openWith({ network: ["*"] });
    const program = await environment.start({
      ...{ command: "sh", args: ["-c", GET(`http://${host}:${port}/`)], cwd: workspace, env: {} },
      ...{ workspace: "reads", network: [`web.test:${port}`], mark: randomUUID() },
    });
    let output = "";
    program.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    expect(await program.gone).toBe("It exited with code 0.");
    expect(output).toContain(said);
    expect(program.missed()).toEqual(missed.map((name) => `${name}:${port}`));
    await program.end();
    await environment.close();
  });

  it("ends a command that has a forwarder as every other (E3, E8)", async () => {
    expect((await run({ network: ["web.test"] }, "exit 3")).exitCode).toBe(3);
    expect((await run({ network: ["web.test"] }, "kill -KILL $$")).exitCode).toBe(137);
  });
});
