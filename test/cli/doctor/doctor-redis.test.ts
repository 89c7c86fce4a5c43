import { randomUUID } from "node:crypto";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { DoctorFinding } from "../../../src/cli/doctor/finding.ts";
import { attend, leave } from "../../../src/storage/redis/cluster/members.ts";
import { openTestLink } from "../../storage/redis/members.ts";
import { createRedisPlace } from "../../storage/redis/recorded-place.ts";
import {
  redisIsThere,
  startCluster,
  startRedis,
  startSentinel,
  type Server,
} from "../../storage/redis/servers.ts";
import { createTempProject } from "../../temp-project.ts";
import { legion } from "../legion.ts";

let server: Server | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function doctor(argv: readonly string[], cwd: string) {
  const { exitCode, json, out, err } = await legion(["doctor", "--json", ...argv], { cwd });
  const findings = json as readonly DoctorFinding[];
  const of = (check: string): readonly string[] =>
    findings.filter((found) => found.check === check).map(({ status, detail }) => `${status}: ${detail}`);
  return { exitCode, findings, of, out, err };
}

describe.skipIf(!redisIsThere)("legion doctor of a legion in Redis", () => {
  it("tells of the server, its memory, the nodes and the agents, and writes nothing", async () => {
    server = await startRedis();
    const name = `legion-${randomUUID()}`;
    const place = await createRedisPlace(server.url, name);
    const link = await openTestLink(server.url);
    const node = { id: "7@host/1", name: "7@host", workspace: "w", agents: 2, able: [], inBackground: [] };
    await attend({ link, legion: name }, node);
    for (const id of ["1", "2", "10"]) await place.enlist(id, {});
    await place.append("2", [{ kind: "notice", reason: "parked", content: "It repeats itself." }]);
    const cwd = await createTempProject();

    const { exitCode, of, findings } = await doctor(["--bus", server.url, "--name", name], cwd);
    await leave({ link, legion: name }, node.id);

    expect(exitCode).toBe(0);
    expect(of("redis")).toEqual([
      expect.stringMatching(/^ok: 127\.0\.0\.1:\d+ answers: \d+\.\d+\.\d+, standalone$/),
    ]);
    expect(of("redis memory")).toEqual([
      expect.stringMatching(/^ok: 127.* [\d.]+ (K|M)iB used, no limit set$/),
    ]);
    expect(of("redis settings")).toEqual(["ok: what is accepted is kept, also when the power fails"]);
    expect(of(`legion ${name}`)).toEqual([
      "ok: nodes: 7@host runs 2",
      "ok: agents: 1, 2, 10",
      expect.stringMatching(/^ok: memory: \d+ KiB, \d+ KiB for each agent, \d+ KiB for Agent 2; texts over/),
    ]);
    expect(of("agent 2")).toEqual([expect.stringMatching(/^wrong: parked since .*It repeats itself\./)]);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(["node", "config", "folder", "lock"]),
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  it("says what of its settings loses mail, and what mends it", async () => {
    server = await startRedis({
      config: ["appendonly no", "maxmemory 50mb", "maxmemory-policy allkeys-lru"],
    });
    const { exitCode, of } = await doctor(["--bus", server.url], await createTempProject());
    expect(exitCode).toBe(0);
    expect(of("redis memory")[0]).toContain(
      "of 50.0 MiB used; when it is full, mail and decisions are refused",
    );
    expect(of("redis settings")).toEqual([
      expect.stringMatching(/^wrong: .*; in redis\.conf: appendonly yes and appendfsync always$/),
      expect.stringMatching(/^wrong: .*; in redis\.conf: maxmemory-policy noeviction$/),
    ]);
    expect(of("legion legion")).toEqual(["ok: nodes: none", "ok: agents: none yet"]);
  });

  it("warns of settings that a legion works with and that may cost what came last", async () => {
    server = await startRedis({ config: ["appendfsync everysec"] });
    const cwd = await createTempProject();
    const { of } = await doctor(["--bus", server.url], cwd);
    expect(of("redis settings")).toEqual([
      expect.stringMatching(/^warning: .*a power cut loses up to 2 s; in redis\.conf: appendonly yes/),
    ]);
    const { exitCode, out } = await legion(["doctor", "--bus", server.url], { cwd });
    expect([exitCode, out.trim().split("\n").at(-1)]).toEqual([0, "Nothing to put right, 1 to know of."]);
  });

  it("names every master of a Cluster, and says so where it is not whole", async () => {
    const { servers, url, stop } = await startCluster();
    onTestFinished(stop);
    const place = await createRedisPlace(url, "legion");
    for (const id of ["1", "2", "3"]) await place.enlist(id, {});
    const cwd = await createTempProject();
    const { of, findings } = await doctor(["--bus", url], cwd);
    expect(of("redis")).toHaveLength(3);
    for (const { port } of servers)
      expect(of("redis").join("\n")).toMatch(
        new RegExp(
          `^ok: 127.0.0.1:${port} answers: [\\d.]+, one of the 3 masters of a Cluster, without replicas$`,
          "m",
        ),
      );
    expect(of("redis memory")).toHaveLength(3);
    expect(of("redis settings")).toEqual(["ok: what is accepted is kept, also when the power fails"]);
    expect(of("legion legion")[1]).toBe("ok: agents: 1, 2, 3");
    expect(findings.filter(({ status }) => status === "wrong")).toEqual([]);

    await servers[2]!.kill();
    const broken = await doctor(["--bus", url], cwd);
    expect(broken.exitCode).toBe(0);
    expect(broken.of("redis")).toEqual([
      expect.stringMatching(/^wrong: the Cluster of redis:\/\/.* is not whole/),
    ]);
  });

  it("tells of the master behind Sentinels, and says so where it is down", async () => {
    const { master, url, stop } = await startSentinel();
    onTestFinished(stop);
    const cwd = await createTempProject();
    const { of } = await doctor(["--bus", url], cwd);
    expect(of("redis")).toEqual([
      expect.stringMatching(
        new RegExp(`^ok: 127.0.0.1:${master.port} answers: [\\d.]+, a master with 1 replica$`),
      ),
    ]);
    expect(of("redis settings")).toEqual([
      "ok: what is accepted is kept, also when the power fails; where a replica takes over, what came last may be lost",
    ]);
    await master.kill();
    const broken = await doctor(["--bus", url], cwd);
    // By then the replica may have taken over.
    expect(broken.of("redis")).toEqual([
      expect.stringMatching(/^(wrong: the master behind redis:.* does not answer|ok: .*, standalone$)/),
    ]);
  });

  it("takes the readable copies of a node's agents for what they are", async () => {
    server = await startRedis();
    const copies = { "goals.json": "{}", "notes/a.txt": "b" };
    const files = Object.entries(copies).map(([path, text]) => [join(".ai-legion/agents/2", path), text]);
    const cwd = await createTempProject(Object.fromEntries(files));
    await chmod(join(cwd, ".ai-legion"), 0o700);
    const { findings } = await doctor(["--bus", server.url], cwd);
    expect(findings.filter(({ status }) => status === "wrong")).toEqual([]);
  });
});

it("says that Redis cannot be reached, beside all the rest, and that is no damage", async () => {
  const { exitCode, of, findings } = await doctor(
    ["--bus", "redis://:secret-word@127.0.0.1:1"],
    await createTempProject(),
  );
  expect(exitCode).toBe(0);
  expect(of("redis")).toEqual([
    expect.stringMatching(/^wrong: nothing answers at redis:\/\/127\.0\.0\.1:1\/0/),
  ]);
  expect(JSON.stringify(findings)).not.toContain("secret-word");
});

it("refuses an address that is none, and shows one in the settings as what is wrong with them", async () => {
  const cwd = await createTempProject({ ".ai-legion/config.yaml": "bus: redis://:secret-word@h:x" });
  expect((await doctor([], cwd)).of("config")).toEqual([
    expect.stringMatching(/^wrong: .*config\.yaml:1: bus: /),
  ]);
  const typed = await doctor(["--bus", "redis://:secret-word@h:x"], await createTempProject());
  expect(typed).toMatchObject({ exitCode: 2, out: "" });
});
