// A record of an agent as this person's machines would have written it.

import { dirname } from "node:path";
import { createDisk } from "../src/base/files/disk.ts";
import { keepRecord } from "../src/storage/files/record.ts";
import { authorshipOf, type Authorship } from "../src/storage/folder/person/authorship.ts";
import { openPersonFolder } from "../src/storage/folder/person/folder.ts";

export function ownAuthorship(): Promise<Authorship> {
  return authorshipOf(openPersonFolder(process.env));
}

/** Keeps `record` in the `folder` of `agent`, signed. */
export async function signRecord(agent: string, record: object, folder: string): Promise<void> {
  const authorship = await ownAuthorship();
  await keepRecord(agent, JSON.stringify(record), { folder, disk: createDisk(dirname(folder)), authorship });
}
