import { describe, expect, it, onTestFinished } from "vitest";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import { temporaryFolder } from "../../world.ts";
import { createCertificates } from "./certificates.ts";
import { newLegion } from "./places.ts";
import { openNode } from "./redis-world.ts";
import { redisIsThere, startCluster, startReplicas, tell, until } from "./servers.ts";

const NOOP = { calls: [{ action: "noop" }] };

describe.skipIf(!redisIsThere)("a legion in a Cluster", () => {
  it("goes on with the replica when the master of an agent dies, and loses nothing that had arrived there", async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.stop());
    const replicas = await startReplicas(cluster);
    onTestFinished(() => replicas.stop());
    const name = newLegion();
    const node = await openNode(
      cluster.url,
      name,
      { 1: { script: [NOOP, NOOP, NOOP] }, 2: { script: [NOOP, NOOP, NOOP] } },
      { home: { durability: "weak" } },
    );
    for (const agent of ["1", "2"]) await node.say(agent, "First.");
    await node.idle();

    const slot = Number(await node.link.command("CLUSTER", "KEYSLOT", agentKeys(name, "1").meta));
    const counts = await Promise.all(
      cluster.servers.map(({ port }) => tell(port, "CLUSTER", "COUNTKEYSINSLOT", slot)),
    );
    const at = counts.findIndex((count) => Number(count) > 0);
    const master = cluster.servers[at]!;
    expect(await tell(master.port, "WAIT", 1, 5_000)).toBe(1);
    const back = new Promise((resolve) => node.link.onReturn(resolve));
    await master.kill();
    await back;
    expect(String(await tell(replicas.servers[at]!.port, "INFO", "replication"))).toContain("role:master");

    for (const agent of ["1", "2"]) {
      await until(() => node.legion.agents.get(agent)?.standing.state === "idle");
      await node.say(agent, "Second.");
      await until(async () => (await node.kinds(agent, "decision")).length === 2);
      const said = (await node.kinds(agent, "message")).map(({ message }) => message.content);
      expect(said).toEqual(["First.", "Second."]);
    }
  });

  it("speaks TLS to each of its members", async () => {
    const folder = await temporaryFolder();
    const certificates = createCertificates(folder);
    const cluster = await startCluster({ certificates });
    onTestFinished(() => cluster.stop());
    const ports = await Promise.all(
      cluster.servers.map(
        async ({ port }) => String(await tell(port, "CONFIG", "GET", "tls-port")).split(",")[1],
      ),
    );
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
    const url = `rediss://${hosts}?ca=${encodeURIComponent(certificates.authority)}`;
    const node = await openNode(url, newLegion(), { 1: { script: [NOOP] }, 2: { script: [NOOP] } });
    const servers = (await node.link.commandAll("PING")).map(({ server }) => server);
    expect(servers.toSorted()).toEqual(ports.map((port) => `127.0.0.1:${port}`).toSorted());
    for (const agent of ["1", "2"]) {
      await node.say(agent, "Hello.");
      await until(async () => (await node.kinds(agent, "decision")).length === 1);
    }
  });
});
