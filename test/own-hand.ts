import { authorshipOf, type Authorship } from "../src/storage/folder/person/authorship.ts";
import { openPersonFolder } from "../src/storage/folder/person/folder.ts";

/** Signs what the person of these tests writes. */
export function ownHand(): Promise<Authorship> {
  return authorshipOf(openPersonFolder(process.env));
}
