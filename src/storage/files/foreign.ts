// What somebody else wrote among the agents of a project: logs, mail, records and state that bear no code of this person. None of it
// is acted on, delivered, written to or copied until the person takes it on.

import { join } from "node:path";
import { openMailbox, readMailbox } from "./mailbox.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import { holdsCopies } from "../folder/copies.ts";
import { account, createLedger } from "../../past/ledger.ts";
import { mailboxName, type Authorship } from "../folder/person/authorship.ts";
import type { Disk } from "../../base/files/disk.ts";
import { openFileLog } from "./log.ts";
import type { JournalWriter } from "./journal/journal.ts";
import { isForeignJournal, newestOpening } from "./journal/segments.ts";
import { keepRecord, readRecord, whoseRecord } from "./record.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { LegionPaths } from "../folder/paths.ts";

export const ADOPTED: NewEvent = {
  kind: "notice",
  reason: "adopted",
  content: "A person took on what stands before this.",
};

export interface SignedHome {
  readonly paths: LegionPaths;
  readonly disk: Disk;
  readonly authorship: Authorship;
}

/** What lies in an agent's folder without saying anything of its own. */
const NO_STATE = ["agent.json", "mailbox", "log", "blobs", "running.out", "background", "copies.txt"];

/** Did somebody else write the agent's log, its mail, its record, or state for a log that is not there? */
export async function isForeign(agent: AgentId, { paths, disk, authorship }: SignedHome): Promise<boolean> {
  const folder = paths.agent(agent);
  const names = await disk.list(folder);
  if (names.length === 0) return false;
  if (names.includes("agent.json") && (await hasForeignRecord(agent, { folder, disk, authorship })))
    return true;
  if (holdsCopies(disk, folder)) return false;
  const isState = (name: string): boolean => !name.startsWith(".") && !NO_STATE.includes(name);
  const log = join(folder, "log");
  // A folder of that name is no past.
  if (names.some(isState) && (await newestOpening(log, disk)) === undefined) return true;
  return (
    (await isForeignJournal(log, disk, { authorship })) ||
    (await isForeignJournal(join(folder, "mailbox"), disk, { authorship, of: mailboxName(agent) }))
  );
}

async function hasForeignRecord(
  agent: AgentId,
  place: Pick<SignedHome, "disk" | "authorship"> & { readonly folder: string },
): Promise<boolean> {
  // Where it cannot be read, whoever writes it anew says so.
  const record = await readRecord(place).catch(() => undefined);
  return (await whoseRecord(agent, record, place)) === "foreign";
}

/** Takes on what is foreign of the agent, for good. Nothing is written where nothing is. */
export async function adopt(agent: AgentId, adoption: SignedHome & JournalWriter): Promise<void> {
  const { paths, disk, authorship } = adoption;
  const folder = paths.agent(agent);
  const record = { folder, disk, authorship };
  if (await hasForeignRecord(agent, record)) await keepRecord(agent, (await readRecord(record))!, record);
  if (!(await isForeign(agent, adoption))) return;
  const ledger = createLedger();
  const place = { ...adoption, folder, corruptFolder: paths.corrupt };
  const { log } = await openFileLog(place, (event) => account(ledger, event));
  await log.append([ADOPTED]);
  await log.close();
  const mailbox = join(folder, "mailbox");
  if (!(await isForeignJournal(mailbox, disk, { authorship, of: mailboxName(agent) }))) return;
  const { start } = await readMailbox(mailbox, disk, ledger);
  const journal = openMailbox(agent, mailbox, adoption, start);
  journal.write([{ kind: "adopted" }]);
  await journal.close();
}
