// `agent.json`: what the last start made of an agent, and for Control what it hosted. The next start goes by it, and so do
// others in whose name the agent speaks: it bears a code of the person over all that it says.

import { dirname, join } from "node:path";
import { fieldsOf, readJson } from "../../base/text/json.ts";
import type { Disk } from "../../base/files/disk.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import type { Authorship } from "../folder/person/authorship.ts";
import { newestOpening } from "./journal/segments.ts";

interface RecordPlace {
  /** The agent's, beside those of the others. */
  readonly folder: string;
  readonly disk: Disk;
  readonly authorship: Authorship;
}

/** `undefined` if there is none. */
export async function readRecord({
  folder,
  disk,
}: Pick<RecordPlace, "folder" | "disk">): Promise<string | undefined> {
  return (await disk.read(join(folder, "agent.json")))?.toString("utf8");
}

/** Keeps `record` as the person's own word, durable when it resolves; a file that is the same already stays. */
export async function keepRecord(agent: AgentId, record: string, place: RecordPlace): Promise<void> {
  const { folder, disk, authorship } = place;
  const { mac: _, ...said } = fieldsOf(readJson(record));
  const signed = { ...said, mac: authorship.sign(nameOf(agent, said), 0) };
  const text = `${JSON.stringify(signed, null, 2)}\n`;
  if ((await readRecord(place)) !== text) await disk.replace(join(folder, "agent.json"), text);
}

/**
 * Whose word the record is. `nobody`: it is not there, says nothing or is no JSON. `unsigned`: the person's, from a version
 * that signed the log beside it alone.
 */
export async function whoseRecord(
  agent: AgentId,
  record: string | undefined,
  { folder, disk, authorship }: RecordPlace,
): Promise<"nobody" | "own" | "unsigned" | "foreign"> {
  const { mac, ...said } = fieldsOf(readJson(record ?? ""));
  if (Object.keys(said).length === 0) return "nobody";
  if (mac !== undefined) return authorship.isOwn(mac, nameOf(agent, said), 0) ? "own" : "foreign";
  const opening =
    (await newestOpening(join(folder, "log"), disk)) ??
    (await newestOpening(join(dirname(folder), CONTROL, "log"), disk));
  if (typeof opening !== "object" || opening.record === "signed") return "foreign";
  return authorship.isOwn(opening.mac, String(opening.log), opening.epoch) ? "unsigned" : "foreign";
}

/** From now on only a signed record counts: for whoever goes on in the agent's log. */
export async function settleRecord(agent: AgentId, place: RecordPlace): Promise<void> {
  const record = await readRecord(place);
  if ((await whoseRecord(agent, record, place)) === "unsigned") await keepRecord(agent, record!, place);
}

/** What is signed of a record: whose it is, and all that it says. */
function nameOf(agent: AgentId, said: Readonly<Record<string, unknown>>): string {
  return `record of ${agent}: ${JSON.stringify(said)}`;
}
