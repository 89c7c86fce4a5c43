// The real program, and somebody who asks it for its metrics as Prometheus does.

import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { legion } from "../../cli/legion.ts";
import { buildProgram, run, type Run } from "../../cli/program.ts";
import { createTempProject } from "../../temp-project.ts";
import { checkConfig, checkMetrics, samplesIn } from "./promtool.ts";

beforeAll(buildProgram, 120_000);

/** What a person is told to write into prometheus.yml, and the token that it leads to. */
async function tellPrometheus(cwd: string, port: string) {
  const { exitCode, out, err } = await legion(["dashboard", port, "--metrics"], { cwd });
  expect([exitCode, err]).toEqual([0, ""]);
  const [, file = ""] = /credentials_file: "(.*)"/.exec(out) ?? [];
  return { out, file, token: (await readFile(file, "utf8")).trim() };
}

function scrape(port: string, token: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${token}` } });
}

async function portOf(node: Run): Promise<string> {
  await node.until("#token=");
  return /127\.0\.0\.1:(\d+)\//.exec(node.out())![1]!;
}

const START = ["start", "2", "--model", "offline", "--tick", "0", "--dashboard", "0"];

it("a person is told what Prometheus needs: a file that only they can read, the same each time", async () => {
  const cwd = await createTempProject();
  const { out, file, token } = await tellPrometheus(cwd, "4700");
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(out).not.toContain(token);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(out).toContain('targets: ["127.0.0.1:4700"]');
  await writeFile(join(cwd, "prometheus.yml"), out);
  expect(checkConfig(join(cwd, "prometheus.yml"))).toBe("");
  expect(await tellPrometheus(cwd, "4700")).toEqual({ out, file, token });
  const { json } = await legion(["dashboard", "4700", "--metrics", "--json"], { cwd });
  expect(json).toEqual([{ target: "127.0.0.1:4700", path: "/metrics", credentialsFile: file }]);
  const { exitCode, err } = await legion(["dashboard", "0", "--metrics"], { cwd });
  expect([exitCode, err]).toEqual([
    2,
    "legion: --metrics: name the port that the page has; Prometheus cannot look for it\n",
  ]);
});

it("a node tells what Prometheus understands, of the legion and of itself, and none of its counters goes back", async () => {
  const cwd = await createTempProject();
  const { token } = await tellPrometheus(cwd, "4700");
  const first = run([...START, "--task", "tell 2 hello"], { cwd });
  const port = await portOf(first);
  await first.until("sent to Control");
  const answer = await scrape(port, token);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  const text = await answer.text();
  expect(checkMetrics(text)).toBe("");
  const before = samplesIn(text);
  expect(before.get("ai_legion_nodes")).toBe(1);
  expect(before.get('ai_legion_model_calls_total{model="offline",outcome="answered"}')).toBeGreaterThan(0);
  const chat = 'gen_ai_operation_name="chat",gen_ai_provider_name="offline",gen_ai_request_model="offline"';
  expect(before.get(`gen_ai_client_operation_duration_seconds_count{${chat}}`)).toBeGreaterThan(0);
  expect(before.get(`gen_ai_client_token_usage_sum{${chat},gen_ai_token_type="input"}`)).toBeGreaterThan(0);
  expect(before.get('ai_legion_lease_troubles_total{reason="taken"}')).toBe(0);
  // Its own commits are measured from the first time that anybody asks.
  expect((await legion(["send", "1", "tell 2 again"], { cwd })).exitCode).toBe(0);
  const busy = samplesIn(await (await scrape(port, token)).text());
  expect(busy.get("ai_legion_commit_duration_seconds_count")).toBeGreaterThan(0);
  first.child.kill("SIGKILL");
  await first.ended;
  const second = run([...START, "--task", "tell 1 hello"], { cwd });
  const again = await portOf(second);
  await second.until("sent to Control");
  const after = samplesIn(await (await scrape(again, token)).text());
  const kept = /^(?:ai_legion_(?:messages|model|tokens|action|dead|cost)|gen_ai_)/;
  for (const [name, value] of busy)
    if (kept.test(name)) expect(after.get(name), name).toBeGreaterThanOrEqual(value);
});

it("neither is the token of the one good for the other, nor is any before one was made", async () => {
  const cwd = await createTempProject();
  const own = { XDG_CONFIG_HOME: join(cwd, "person") };
  const page = run(["dashboard", "0"], { cwd, env: own });
  const port = await portOf(page);
  const [, address = ""] = /#token=([0-9a-f]{64})/.exec(page.out()) ?? [];
  expect((await scrape(port, address)).status).toBe(401);
  const { exitCode } = await legion(["dashboard", port, "--metrics"], { cwd, env: own });
  expect(exitCode).toBe(0);
  const token = (await readFile(join(cwd, "person/ai-legion/metrics-token"), "utf8")).trim();
  // It counts at once.
  const answer = await scrape(port, token);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(checkMetrics(text)).toBe("");
  expect(samplesIn(text).get("ai_legion_nodes")).toBe(0);
  expect(text).not.toContain("event_loop");
  const { status } = await fetch(`http://127.0.0.1:${port}/v1/inbox`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([status, (await scrape(port, address)).status]).toEqual([401, 401]);
});
