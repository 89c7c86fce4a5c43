import type { Link } from "../connection/link.ts";
import { factsIn } from "../connection/topology.ts";

/**
 * What was erased is in no key, but an append-only file still says how it came there, until Redis writes that file anew, which
 * it does by itself once it has grown enough. Has it do so now, where that is allowed (`+bgrewriteaof`) and none is under
 * way; resolves when it has begun, and never rejects. The files of replicas, and snapshots, are out of reach.
 */
export async function hurryErasing(link: Pick<Link, "commandAll">): Promise<void> {
  try {
    const answers = await link.commandAll("INFO", "persistence");
    // Without such a file it would make one, which nobody would keep up.
    if (answers.every(({ reply }) => factsIn(reply).get("aof_enabled") === "1"))
      await link.commandAll("BGREWRITEAOF");
  } catch {
    // It is forgotten all the same.
  }
}
