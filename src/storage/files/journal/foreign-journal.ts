// Who wrote what lies in a folder, as the openings of its segments tell.

import type { Disk } from "../../../base/files/disk.ts";
import { newestOpening, type Opening } from "./segments.ts";
import type { Authorship } from "../../folder/person/authorship.ts";

/** What tells who wrote a segment. `of`: the mailbox's name; a log names itself. */
export interface Author {
  readonly authorship: Authorship;
  readonly of?: string;
}

/**
 * Did somebody else write the newest segment of the journal in `folder`? Whoever goes on in a journal has seen who wrote it
 * before: so an own segment stands for all that are older. False for a journal that holds nothing.
 */
export async function isForeignJournal(folder: string, disk: Disk, author: Author): Promise<boolean> {
  const opening = await newestOpening(folder, disk);
  return opening === "unreadable" || (opening !== undefined && !isOwnOpening(opening, author));
}

function isOwnOpening({ mac, log, epoch }: Opening, { authorship, of = String(log) }: Author): boolean {
  return authorship.isOwn(mac, of, epoch);
}
