import type { Authorship } from "../src/storage/folder/person/authorship.ts";
import { openPersonFolder } from "../src/storage/folder/person/folder.ts";
import { authorshipOf } from "../src/storage/folder/person/key.ts";

/** Signs what the person of these tests writes. */
export function ownHand(): Promise<Authorship> {
  return authorshipOf(openPersonFolder(process.env));
}
