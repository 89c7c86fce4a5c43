import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTempProject } from "../../temp-project.ts";
import { follow, legion } from "../legion.ts";

async function takenPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return String((server.address() as { readonly port: number }).port);
}

describe("legion dashboard", () => {
  it.each([
    [["http"], '"http" is no port; take one from 1024 to 65535, or 0 for any'],
    [["65536"], '"65536" is no port; take one from 1024 to 65535, or 0 for any'],
    [["-1"], '"-1" is no port; take one from 1024 to 65535, or 0 for any'],
    [
      ["0", "--allow-host", "http://box"],
      '--allow-host: "http://box" is no name of a host, such as box.example.com',
    ],
  ])("says in a line what is wrong with %j, and writes nothing", async (argv, why) => {
    const cwd = await createTempProject();
    const { exitCode, err } = await legion(["dashboard", ...argv], { cwd });
    expect(exitCode).toBe(2);
    expect(err.split("\n").length).toBeLessThanOrEqual(3);
    expect(err).toContain(why);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("says that its port is taken", async () => {
    const port = await takenPort();
    const { exitCode, err } = await legion(["dashboard", port], { cwd: await createTempProject() });
    expect(exitCode).toBe(1);
    expect(err).toContain(`port ${port}: `);
  });

  it("prints an address of this machine with a token of 256 bits, and writes nothing", async () => {
    const cwd = await createTempProject();
    const printed = await follow(["dashboard", "0"], { cwd }).endAt("Ctrl-C ends the page");
    expect(printed.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[0-9a-f]{64}\n/);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("legion start --dashboard", () => {
  it("goes on without a page where the port is taken, and says how to open one", async () => {
    const cwd = await createTempProject();
    const argv = ["start", "1", "--model", "offline", "--dashboard", await takenPort(), "--until-idle"];
    const { exitCode, out, err } = await legion([...argv, "--task", "noop", "--tick", "0"], { cwd });
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out).toMatch(/There is no dashboard: port \d+: .*; `legion dashboard 0` opens one/);
  });

  it("refuses what is no port before anything is written", async () => {
    const cwd = await createTempProject();
    const { exitCode, err } = await legion(["start", "1", "--model", "offline", "--dashboard", "x"], { cwd });
    expect([exitCode, err]).toEqual([
      2,
      'legion: "x" is no port; take one from 1024 to 65535, or 0 for any\n',
    ]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
