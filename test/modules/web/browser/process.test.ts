// The browser as a process: what it is started with, and what happens if it does not start, or if we end without a word.

import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBrowser } from "../../../../modules/web/browser/browser.ts";
import { chromiumIsThere, createNode, executable, mainProcessOf, never, page, processesOf } from "./kit.ts";

const addressOf = (path: string) => JSON.stringify(new URL(`../../../../${path}`, import.meta.url).href);

/** Reads one page, says so, and reads another one that has no end. */
const READS = `
import { setTimeout as delay } from "node:timers/promises";
import { createBrowser } from ${addressOf("modules/web/browser/browser.ts")};
import { createNetwork } from ${addressOf("src/environment/network/network.ts")};

const { SCRATCH: scratch, EXECUTABLE: executable, ...environment } = process.env;
const clock = { now: Date.now, sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined) };
const browser = createBrowser(
  { network: createNetwork({ allowPrivate: [] }), clock, scratch, environment, onClose: () => undefined },
  { executable },
);
const read = (html) => browser.render(
  { url: "http://site.test/", status: 200, headers: { "content-type": "text/html" }, body: Buffer.from(html) },
  new AbortController().signal,
);
await read("<p>here");
console.log("read");
await read("<script>while (true);</script>");
`;

describe.skipIf(!chromiumIsThere)("the browser's process", () => {
  it("gets the environment of the node, writes to the node's folder alone, and keeps the mark where it is looked for", async () => {
    const node = createNode();
    const browser = createBrowser(node, { executable });
    onTestFinished(() => browser.close());
    await browser.render(page("<p>x"), never);
    const pid = mainProcessOf(node)!;
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    expect(environment).toContain(`LEGION_RUN=${node.environment["LEGION_RUN"]}`);
    const names = new Set(environment.filter(Boolean).map((line) => line.split("=", 1)[0]));
    expect(names).toEqual(
      new Set(["HOME", "LEGION_RUN", "PATH", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]),
    );
    expect(environment.find((line) => line.startsWith("HOME="))).toContain(node.scratch);
    const isSandboxed = !readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--no-sandbox");
    expect(isSandboxed).toBe(process.getuid?.() !== 0);
  });

  it("is gone, with all of its own, when the process that reads is killed", async () => {
    const { scratch, environment } = createNode();
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", READS], {
      env: { ...environment, SCRATCH: scratch, EXECUTABLE: executable },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    expect(processesOf({ scratch }).length).toBeGreaterThan(3);
    child.kill("SIGKILL");
    await expect.poll(() => processesOf({ scratch }), { timeout: 10_000 }).toEqual([]);
  });
});

describe("a browser that does not start", () => {
  /** A program that does `script` instead of being a browser. */
  function pretend(script: string, mode = 0o755) {
    const node = createNode();
    mkdirSync(node.scratch);
    const program = join(node.scratch, "program");
    writeFileSync(program, script);
    chmodSync(program, mode);
    const browser = createBrowser(node, { executable: program });
    onTestFinished(() => browser.close());
    return { node, read: () => browser.render(page("<p>x"), never) };
  }

  it("says what to do where the system lets it have no sandbox", async () => {
    const { node, read } = pretend(
      "#!/bin/sh\necho 'FATAL:zygote_host: No usable sandbox! If you are ...' >&2\nexit 1\n",
    );
    await expect(read()).rejects.toThrow(
      "The browser did not start, because this system lets it have no sandbox. Allow it user namespaces " +
        "(on Ubuntu: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0), or set web.browser to off.",
    );
    expect(readdirSync(node.scratch)).toEqual(["program"]);
  });

  it("says what it said last", async () => {
    const { node, read } = pretend("#!/bin/sh\necho first >&2\necho 'a library is missing' >&2\nexit 127\n");
    await expect(read()).rejects.toThrow(
      `The browser ${node.scratch}/program did not start: a library is missing`,
    );
    const silent = pretend("#!/bin/sh\nexit 0\n");
    await expect(silent.read()).rejects.toThrow(`The browser ${silent.node.scratch}/program did not start.`);
  });

  it("rejects for a file that is no program, and for none", async () => {
    await expect(pretend("just text").read()).rejects.toThrow("did not start");
    await expect(pretend("#!/bin/sh\n", 0o644).read()).rejects.toThrow("did not start");
    await expect(pretend("#!/no/such/shell\n").read()).rejects.toThrow("did not start");
  });
});
