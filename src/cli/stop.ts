import { setTimeout as delay } from "node:timers/promises";
import { LegionError } from "../errors.ts";
import { lockHolder } from "../log/lock.ts";
import type { Reader } from "../reader.ts";
import { findNode, type NodeClient } from "../server/control-client.ts";
import type { CliCommand } from "./command.ts";
import { printObeyed, type OutcomeTexts } from "./order.ts";
import { print } from "./output.ts";
import { checkTargets, offerDir, readerOf } from "./project.ts";

const PATIENCE_MS = 60_000;
const POLL_MS = 100;

const STOPPED: OutcomeTexts = {
  done: "stopped; the next start runs it again",
  soon: "stopped as soon as the step that runs is done",
  already: "stopped already",
};

export const command: CliCommand = {
  define: (parser) => void offerDir(parser.argument("[ids]", "agents to stop; without it, the whole node")),
  async run(typed, io) {
    const reader = await readerOf(typed, io);
    const [ids] = typed.args;
    const targets = ids === undefined ? undefined : await checkTargets(reader, ids);
    const node = await findNode(reader.paths.socket);
    if (!node) throw new LegionError("REFUSED", "no node runs here: there is nothing to stop");
    if (targets) printObeyed(io, await node.order({ order: "stop", targets }), STOPPED);
    else print(io, `Node ${await endNode(node, reader)} has ended.`);
    return 0;
  },
};

/** Resolves with the pid of the node once it has ended; it finishes what runs first. */
async function endNode(node: NodeClient, { paths, disk }: Reader): Promise<number> {
  const pidOfHolder = async (): Promise<number> => (await lockHolder(paths.lock, disk))?.pid ?? 0;
  const pid = await pidOfHolder();
  const deadline = Date.now() + PATIENCE_MS;
  await node.stop();
  while ((await pidOfHolder()) === pid && pid !== 0) {
    if (Date.now() > deadline) {
      const time = `after ${PATIENCE_MS / 1_000} s`;
      throw new LegionError(
        "REFUSED",
        `process ${pid} still finishes what runs ${time}; kill ${pid} ends it sooner`,
      );
    }
    await delay(POLL_MS);
  }
  return pid;
}
