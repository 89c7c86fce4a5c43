import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { system } from "../../../../modules/system/index.ts";
import { createTestHost } from "../../test-host.ts";
import { createOutside, SECRET } from "./outside.ts";

type Attempts = readonly (readonly [action: string, parameters: object])[];

describe("hostile: link races", () => {
  /** Makes `path` by turns what it was and a link to `target`, as fast as it can, until the test ends. */
  async function swap(path: string, target: string): Promise<void> {
    // Each step may fail: the actions under test make the path too, when they find nothing there.
    const program = `
      const { renameSync, rmSync, symlinkSync } = require("node:fs");
      const { parentPort, workerData: { path, target } } = require("node:worker_threads");
      const attempt = (step) => { try { step(); } catch {} };
      parentPort.postMessage("ready");
      for (;;) {
        attempt(() => renameSync(path, path + "-aside"));
        attempt(() => symlinkSync(target, path));
        attempt(() => rmSync(path, { recursive: true }));
        attempt(() => renameSync(path + "-aside", path));
      }
    `;
    const worker = new Worker(program, { eval: true, workerData: { path, target } });
    onTestFinished(async () => void (await worker.terminate()));
    await once(worker, "message");
  }

  const reading: Attempts = [
    ["readFile", { path: "swapped/secret" }],
    ["listDirectory", { path: "swapped" }],
    ["outline", { path: "swapped" }],
  ];
  const below: Attempts = [
    ["readFile", { path: "swapped/deep/secret" }],
    ["writeFile", { path: "swapped/deep/new", content: "harm" }],
    ["deleteFile", { path: "swapped/deep/new" }],
    ["moveFile", { sourcePath: "swapped/deep/secret", destinationPath: "kept" }],
    ["moveFile", { sourcePath: "kept", destinationPath: "swapped/deep/secret" }],
  ];
  const writing: Attempts = [
    ["writeFile", { path: "swapped/new", content: "harm" }],
    ["createDirectory", { path: "swapped/made" }],
    ["deleteFile", { path: "swapped/made" }],
    ["editFile", { path: "swapped/secret", oldText: "secret", newText: "harm" }],
  ];
  const moving: Attempts = [
    ["moveFile", { sourcePath: "swapped/secret", destinationPath: "kept" }],
    ["readFile", { path: "kept" }],
    ["moveFile", { sourcePath: "kept", destinationPath: "swapped/secret" }],
    ["deleteFile", { path: "swapped/secret" }],
    ["writeFile", { path: "swapped/secret", content: "inside" }],
  ];
  const onFile: Attempts = [
    ["readFile", { path: "swapped" }],
    ["writeFile", { path: "swapped", content: "harm" }],
    ["editFile", { path: "swapped", oldText: "secret", newText: "harm" }],
    ["outline", { path: "swapped" }],
  ];
  const folder = (outside: string) => outside;
  const file = (outside: string) => join(outside, "secret");
  const hidden = (_: string, root: string) => join(root, ".git");

  it.runIf(existsSync("/proc/self/fd")).each([
    { what: "a folder that is read", inside: "swapped/secret", attempts: reading, toTarget: folder },
    {
      what: "a folder above the one that is read",
      inside: "swapped/deep/secret",
      attempts: below,
      toTarget: folder,
    },
    { what: "a folder that is written to", inside: "swapped/secret", attempts: writing, toTarget: folder },
    {
      what: "a folder that files are moved from",
      inside: "swapped/secret",
      attempts: moving,
      toTarget: folder,
    },
    { what: "a file", inside: "swapped", attempts: onFile, toTarget: file },
    {
      what: "a folder beside .git",
      inside: "swapped/secret",
      attempts: [...reading, ...moving],
      toTarget: hidden,
    },
  ])("$what never leads elsewhere when it becomes a link, however often it is tried (F3)", async (way) => {
    const agent = createTestHost(system);
    const outside = createOutside(agent);
    mkdirSync(join(outside, "deep"));
    for (const path of [join(outside, "deep/secret"), agent.file(".git/secret")]) writeFileSync(path, SECRET);
    agent.file(way.inside, "inside");
    await swap(join(agent.root, "swapped"), way.toTarget(outside, agent.root));

    const outcomes = new Set<string>();
    // Both sides of the race have to be met: on a busy machine one of them may take a break.
    for (let n = 0; n < 1_200 || outcomes.size < 2; n++) {
      const [action, parameters] = way.attempts[n % way.attempts.length]!;
      const { outcome, content } = await agent.act(action, parameters);
      expect(content).not.toContain(SECRET);
      outcomes.add(outcome);
    }
    for (const folder of [outside, join(outside, "deep"), join(agent.root, ".git")]) {
      expect(readdirSync(folder).filter((name) => name !== "deep")).toEqual(["secret"]);
      expect(readFileSync(join(folder, "secret"), "utf8")).toBe(SECRET);
    }
    expect([...outcomes].sort()).toEqual(["error", "ok"]);
  });
});
