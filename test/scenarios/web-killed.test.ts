// The whole program reads a page in a real browser, and is killed while it does.

import { readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { buildProgram, run, runToEnd } from "../cli/program.ts";
import { chromiumIsThere, executable } from "../modules/web/browser/kit.ts";
import { createTempProject } from "../temp-project.ts";
import { byHand } from "../world.ts";

const env = { PUPPETEER_EXECUTABLE_PATH: executable };

/** A page that is never quiet; `asked` resolves once its script runs. */
async function startRestlessSite() {
  const asked = byHand();
  const server = createServer((request, response) => {
    if (request.url === "/never") return asked.resolve();
    response.setHeader("content-type", "text/html");
    response.end("<title>Restless</title><p>Wait.</p><script>fetch('/never')</script>");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked: asked.promise };
}

/** A project whose agent reads that page, and a node that is in the middle of it. */
async function openReading() {
  const { url, asked } = await startRestlessSite();
  const project = await createTempProject({
    "read.yaml": `- calls: [{ action: readPage, parameters: { url: "${url}" } }]\n`,
    "rest.yaml": "- calls: [{ action: noop }]\n",
    ".ai-legion/config.yaml": "web: { allowPrivate: [127.0.0.1] }\n",
  });
  const node = run([...start("read.yaml"), "--task", "Go."], { cwd: project, env });
  await asked;
  return { project, node };
}

const start = (script: string): string[] => [
  ...["start", "--agent", "researcher", "--model", `scripted:${script}`, "--tick", "0", "--json"],
  "--trust",
];

/** Processes of the browser that keeps its profile in the project. */
function browsersOf(project: string): readonly number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => commandOf(pid).includes(join(project, ".ai-legion/tmp")));
}

/** Empty for a process that is gone. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

beforeAll(buildProgram, 120_000);

describe.skipIf(!chromiumIsThere)("a node that is killed while it reads a page", () => {
  it("leaves no browser behind", async () => {
    const { project, node } = await openReading();
    expect(browsersOf(project).length).toBeGreaterThan(0);
    node.child.kill("SIGKILL");
    await node.ended;
    await expect.poll(() => browsersOf(project).map(commandOf), { timeout: 20_000 }).toEqual([]);
  });

  it("has a browser that hung at that moment ended by the next start, which reads the page again", async () => {
    const { project, node } = await openReading();
    const main = browsersOf(project).find((pid) => commandOf(pid).includes("--remote-debugging-pipe"));
    process.kill(main!, "SIGSTOP");
    node.child.kill("SIGKILL");
    await node.ended;
    expect(browsersOf(project)).toContain(main);

    const next = await runToEnd([...start("rest.yaml"), "--until-idle"], { cwd: project, env });
    expect(next.code).toBe(0);
    await expect.poll(() => browsersOf(project).map(commandOf), { timeout: 20_000 }).toEqual([]);
    expect(await readdir(join(project, ".ai-legion/tmp/modules"))).toEqual([]);
    // A read changes nothing in the world, so it was simply done again.
    const events = next.out.trimEnd().split("\n");
    const results = events.map((line) => JSON.parse(line) as Event).filter(({ kind }) => kind === "result");
    expect(results[0]).toMatchObject({ outcome: "ok", taint: [expect.stringMatching(/^http/)] });
  });
});
