// The way out of a sandbox that has no network: a proxy of the runtime on a Unix socket, and inside a small program that
// takes what comes to a port of loopback there.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Network } from "../../../domain/authoring/network.ts";
import { readUrl, targetOf } from "../destination.ts";
import { parseHost } from "./hosts.ts";

export interface CommandProxy {
  /** For bwrap. */
  readonly mounts: readonly string[];
  /** For the command. */
  readonly variables: Readonly<Record<string, string>>;
  /** What is run inside before the command, which follows. */
  readonly forwarder: readonly string[];
  /** A sentence for each place that was refused. */
  refused(): readonly string[];
  /** The hosts that it asked for and that are none of those it may reach, such as `example.com:8443`; at most 20. */
  missed(): readonly string[];
  close(): Promise<void>;
}

const MAX_MISSED = 20;
const MAX_BYTES = 2 * 1024 ** 3;
const PORT = 3128;
const [NODE, SOCKET] = ["/run/legion/node", "/run/legion/proxy.sock"];
/** Ends as the command does; what asks it to end is for the command. */
const FORWARDER = `
const net = require("node:net");
process.on("SIGTERM", () => {});
net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: ${JSON.stringify(SOCKET)}, allowHalfOpen: true });
  for (const end of [near, far]) end.on("error", () => { near.destroy(); far.destroy(); });
  near.pipe(far).pipe(near);
}).listen(${PORT}, "127.0.0.1", () => {
  const [program, ...args] = process.argv.slice(1);
  const { constants } = require("node:os");
  require("node:child_process").spawn(program, args, { stdio: "inherit" })
    .on("error", () => process.exit(127))
    .on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});`;

/** @param hosts as `parseHosts` reads them */
export async function openCommandProxy(
  network: Pick<Network, "openProxy">,
  hosts: readonly string[],
): Promise<CommandProxy> {
  // In a folder of its own, as only this user may enter; and its path has to be short.
  const folder = await mkdtemp(join(tmpdir(), "legion-proxy-"));
  const socket = join(folder, "proxy.sock");
  try {
    const rules = hosts.map(parseHost);
    const missed = new Set<string>();
    const permits = (url: string): boolean => {
      const target = targetOf(readUrl(url));
      const { host } = new URL(url);
      if (missed.size < MAX_MISSED && !rules.some((rule) => rule(target))) missed.add(host);
      return true;
    };
    const proxy = await network.openProxy({ maxBytes: MAX_BYTES, hosts, permits, socket });
    const { username, password } = proxy.credential;
    const url = `http://${username}:${password}@127.0.0.1:${PORT}`;
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
    return {
      mounts: ["--ro-bind", process.execPath, NODE, "--ro-bind", socket, SOCKET],
      variables: {
        ...Object.fromEntries(names.map((name) => [name, url])),
        NO_PROXY: "localhost,127.0.0.1",
        // Node itself asks no proxy unless it is told to.
        NODE_USE_ENV_PROXY: "1",
      },
      forwarder: [NODE, "-e", FORWARDER, "--"],
      refused: () => proxy.refused(),
      missed: () => [...missed],
      async close() {
        await proxy.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
