// The token that opens the metrics, and nothing else: kept in the person's folder, so that what asks for them every few seconds
// needs no new one for each start.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { LegionError } from "../../base/errors.ts";
import type { PersonFolder } from "../../storage/folder/person/folder.ts";

const FILE = "metrics-token";
const TOKEN_BYTES = 32;
/** A person may have written one of their own. */
const TOKEN = /^[\x21-\x7e]{32,512}$/;

/** `undefined` if none was made yet, or what is kept is none. Rejects with CONFIG as the folder does. */
export async function readMetricsToken(person: Pick<PersonFolder, "read">): Promise<string | undefined> {
  const token = (await person.read(FILE))?.trim() ?? "";
  return TOKEN.test(token) ? token : undefined;
}

/** The path of the file that has it, which is made if there is none. Rejects with CONFIG, also where that file has none. */
export async function keepMetricsToken(person: PersonFolder): Promise<string> {
  const path = join(person.path, FILE);
  await person.create(FILE, `${randomBytes(TOKEN_BYTES).toString("hex")}\n`);
  if ((await readMetricsToken(person)) === undefined)
    throw new LegionError("CONFIG", `${path} has no token of at least 32 letters; remove it, and try again`);
  return path;
}
