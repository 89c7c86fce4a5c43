import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveOverHttp } from "../../../../src/control/mcp/http.ts";
import { runSuite } from "../../../conformance/suite.ts";
import { createTempProject } from "../../../temp-project.ts";
import { createFixtureServer } from "./fixture-server.ts";

const ASKS_BACK = "our tools ask the program nothing: no elicitation, no sampling, no roots";
const NO_SESSIONS = "we keep nothing between two requests: no session, and nothing to subscribe to";
const NO_TASKS = "an extension; whoever waits here uses `wait`";

/** The scenarios that we do not pass, and why not. Every other one passes. */
const NOT_OURS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "2025-11-25": {
    "tools-call-sampling": ASKS_BACK,
    "tools-call-elicitation": ASKS_BACK,
    "elicitation-sep1034-defaults": ASKS_BACK,
    "elicitation-sep1330-enums": ASKS_BACK,
    "resources-subscribe": NO_SESSIONS,
    "resources-unsubscribe": NO_SESSIONS,
  },
  "2026-07-28": {
    "input-required-result-basic-elicitation": ASKS_BACK,
    "input-required-result-basic-sampling": ASKS_BACK,
    "input-required-result-basic-list-roots": ASKS_BACK,
    "input-required-result-request-state": ASKS_BACK,
    "input-required-result-multiple-input-requests": ASKS_BACK,
    "input-required-result-multi-round": ASKS_BACK,
    "input-required-result-non-tool-request": ASKS_BACK,
    "input-required-result-result-type": ASKS_BACK,
    "input-required-result-tampered-state": ASKS_BACK,
    "input-required-result-capability-check": ASKS_BACK,
    "tasks-lifecycle": NO_TASKS,
    "tasks-capability-negotiation": NO_TASKS,
    "tasks-wire-fields": NO_TASKS,
    "tasks-request-state-removal": NO_TASKS,
    "tasks-mrtr-input": NO_TASKS,
    "tasks-request-headers": NO_TASKS,
    "tasks-dispatch-and-envelope": NO_TASKS,
    "tasks-required-task-error": NO_TASKS,
    "tasks-mrtr-composition": NO_TASKS,
  },
};
/** How many scenarios the suite has for a server, so that none is lost unseen. */
const SCENARIOS: Readonly<Record<string, number>> = { "2025-11-25": 33, "2026-07-28": 50 };

interface Check {
  readonly status: string;
  readonly errorMessage?: string;
}

/** Each scenario with what failed of it. */
async function tryDoor(url: string, era: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = await createTempProject();
  await runSuite(["server", "--url", url, "--requirements", era, "--output-dir", folder]);
  const scenarios = (await readdir(folder)).map(async (name) => {
    const checks = JSON.parse(await readFile(join(folder, name, "checks.json"), "utf8")) as readonly Check[];
    const failed = checks.filter(({ status }) => status === "FAILURE");
    const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[^T]*$/, "");
    return [scenario, failed.map(({ errorMessage = "" }) => errorMessage)] as const;
  });
  return new Map(await Promise.all(scenarios));
}

describe("the protocol's own suite, on our door", () => {
  it.each(Object.keys(NOT_OURS))(
    "passes every scenario of %s that applies",
    { timeout: 60_000 },
    async (era) => {
      const door = { port: 0, token: "of-this-test", onFault: () => undefined };
      const { server, url, close } = await serveOverHttp(createFixtureServer, door);
      onTestFinished(close);
      // The suite knows no tokens.
      server.prependListener("request", ({ headers }) => (headers.authorization = `Bearer ${door.token}`));
      const results = await tryDoor(url, era);
      const failing = [...results].filter(([, failed]) => failed.length > 0);
      const notOurs = Object.keys(NOT_OURS[era]!);
      expect(failing.filter(([scenario]) => !notOurs.includes(scenario))).toEqual([]);
      expect(failing.map(([scenario]) => scenario).sort()).toEqual(notOurs.sort());
      expect(results.size).toBe(SCENARIOS[era]);
    },
  );
});
