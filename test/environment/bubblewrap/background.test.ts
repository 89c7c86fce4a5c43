import { randomUUID } from "node:crypto";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bubblewrapIsThere, open } from "../opened.ts";

const SERVER = `require("http").createServer((_, to) => to.end("hello")).listen(process.argv[1], () => console.log("up"))`;
const CLIENT = `require("http").get({ ...JSON.parse(process.argv[1]) }, (from) => from.pipe(process.stdout)).on("error", (error) => console.log(error.code))`;

describe.runIf(bubblewrapIsThere)("a command in the sandbox while another one goes on", () => {
  it.each([
    ["reaches it over a Unix socket", "/tmp/x.sock", { socketPath: "/tmp/x.sock" }, "hello"],
    ["does not reach its ports (E8)", "3210", { port: 3210, host: "127.0.0.1" }, "ECONNREFUSED\n"],
  ])("%s", async (_, listening, asking, answer) => {
    const cwd = await realpath(await mkdtemp(join(tmpdir(), "legion-beside-")));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const environment = await open("bubblewrap", cwd, process.env);
    onTestFinished(environment.close);
    const stopping = new AbortController();
    let isUp = (): void => undefined;
    const up = new Promise<void>((resolve) => (isUp = resolve));
    const server = environment.execute(`node -e '${SERVER}' ${listening}`, {
      ...{ cwd, timeoutMs: Infinity, signal: stopping.signal, output: "traced" },
      trace: { mark: randomUUID(), print: () => isUp() },
    });
    await up;
    const { signal } = new AbortController();
    const client = `node -e '${CLIENT}' '${JSON.stringify(asking)}'`;
    const { output } = await environment.execute(client, { cwd, timeoutMs: 20_000, signal });
    expect(output).toBe(answer);
    stopping.abort();
    expect((await server).ended).toBe("aborted");
  });
});
