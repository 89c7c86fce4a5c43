import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { redisIsThere, startRedis, until } from "./servers.ts";

const TSX = import.meta.resolve("tsx");
const STARTS_ONE = `
  import { startRedis } from ${JSON.stringify(new URL("servers.ts", import.meta.url).href)};
  const { port, dir } = await startRedis();
  console.log(JSON.stringify({ port, dir }));
  setInterval(() => {}, 1000);
`;

describe.skipIf(!redisIsThere)("servers of a test", () => {
  it("are gone, with their folder, when the test process is killed", async () => {
    const test = spawn(process.execPath, ["--import", TSX, "--input-type=module", "-e", STARTS_ONE], {
      cwd: fileURLToPath(new URL(".", import.meta.url)),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const line = await new Promise<string>((resolve) =>
      test.stdout.once("data", (chunk) => resolve(String(chunk))),
    );
    const { port, dir } = JSON.parse(line);
    expect(await answers(port)).toBe(true);
    test.kill("SIGKILL");
    await until(async () => !(await answers(port)) && !existsSync(dir));
  });

  it("keep what they hold over a restart, and nothing after a stop", async () => {
    const server = await startRedis();
    const { pid } = server;
    await server.kill();
    expect(await answers(server.port)).toBe(false);
    await server.restart();
    expect(await answers(server.port)).toBe(true);
    expect(server.pid).not.toBe(pid);
    await server.kill();
    await server.stop();
    expect(await answers(server.port)).toBe(false);
    expect(existsSync(server.dir)).toBe(false);
  });

  it("say why they do not start", async () => {
    await expect(startRedis({ config: ["no-such-setting 1"] })).rejects.toThrow("ended before it was ready");
  });
});

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
