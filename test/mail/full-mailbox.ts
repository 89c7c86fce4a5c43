import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mailboxName } from "../../src/storage/folder/person/authorship.ts";
import { toLine } from "../../src/storage/folder/line.ts";
import { mailboxLimit, type AgentId } from "../../src/domain/message/message.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { ownHand } from "../own-hand.ts";

/** Makes an agent, which must not run, whose mailbox has no room for mail of `sender`. Returns its mailbox folder. */
export async function fillMailbox(project: string, agent: AgentId, sender: AgentId = "1"): Promise<string> {
  const folder = join(legionPaths(project).agent(agent), "mailbox");
  const stamp = { epoch: 1, at: "2026-01-01T00:00:00.000Z" };
  const mail = Array.from({ length: mailboxLimit(sender) }, (_, index) => {
    const id = `9>${agent}#${index + 1}`;
    const from = { type: "agentToAgent", source: { type: "agent", id: "9" }, targetAgentIds: [agent] };
    const message = { id, ...from, content: "", sentAt: stamp.at, delivery: "normal", root: id, hops: 1 };
    return { seq: index + 2, ...stamp, kind: "mail", from: "log-of-9", message };
  });
  const mac = (await ownHand()).sign(mailboxName(agent), stamp.epoch);
  const lines = [{ seq: 1, ...stamp, kind: "opened", format: 1, seals: {}, mac }, ...mail].map(toLine);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "00000001-000.jsonl"), lines.join(""));
  return folder;
}
