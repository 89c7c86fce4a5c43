import type { Authorship } from "../src/log/authorship.ts";
import { openPersonFolder } from "../src/person/folder.ts";
import { authorshipOf } from "../src/person/key.ts";

/** Signs what the person of these tests writes. */
export function ownHand(): Promise<Authorship> {
  return authorshipOf(openPersonFolder(process.env));
}
