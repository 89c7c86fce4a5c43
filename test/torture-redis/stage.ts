// Four nodes of one legion, each behind a way to Redis of its own, and their Redis.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRedis, type Server } from "../storage/redis/servers.ts";
import { buildProgram, type Change } from "../torture/program.ts";
import { createMember, type Member } from "./member.ts";
import type { Order, Work } from "./order.ts";

export interface StageOptions {
  readonly leaseMs: number;
  /** Of the legion as a whole. */
  readonly steps: number;
  readonly durability: Order["durability"];
  readonly changes?: readonly Change[];
  /** What the nodes do that are started from now on, one after the other. */
  readonly workFor: (life: number, folder: string) => Work;
  /** Told of a node that ended by itself and was not told to, or that ended badly. */
  readonly onCrash: (text: string) => void;
}

export interface Stage {
  readonly folder: string;
  readonly server: Server;
  readonly members: readonly Member[];
  /** Ends everything; `keep`: the folder stays. */
  close(folder: "keep" | "remove"): Promise<void>;
}

const NODES = 4;
export const AGENTS = ["1", "2", "3", "4", "5", "6", "7", "8"];
export const LEGION = "tortured";

/** Resolves when every node has joined. */
export async function openStage({ changes, workFor, onCrash, ...terms }: StageOptions): Promise<Stage> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "legion-torture-redis-")));
  const program = join(folder, "node.mjs");
  const server = await startRedis({
    config: terms.durability === "weak" ? ["appendfsync everysec"] : [],
  });
  const members: Member[] = [];
  const close: Stage["close"] = async (fate) => {
    await Promise.all(members.map((member) => member.close()));
    await server.stop();
    if (fate === "remove") rmSync(folder, { recursive: true, force: true });
  };
  let lives = 0;
  const orderFor = (node: number, project: string, url: string): Order => ({
    ...terms,
    project,
    node,
    nodes: NODES,
    url,
    legion: LEGION,
    agents: AGENTS,
    work: workFor(++lives, folder),
  });
  try {
    await buildProgram({ entry: "test/torture-redis/node.ts", outfile: program, changes });
    for (let index = 0; index < NODES; index++) {
      const project = join(folder, `node-${index}`);
      members.push(
        await createMember({
          ...{ program, redisPort: server.port, project, onCrash },
          orderFor: (...place) => orderFor(index, ...place),
        }),
      );
    }
    for (const member of members) member.start();
    await Promise.all(members.map((member) => member.ready()));
    return { folder, server, members, close };
  } catch (error) {
    await close("remove");
    throw error;
  }
}
