import { shownPath } from "../../base/files/project-file.ts";
import { codeOf } from "../code/project-code.ts";
import type { Grant } from "../../storage/folder/person/trust.ts";

/** A module that the project brings. */
export interface CodeGrant extends Grant {
  /** For people: all that it would load, and what its text does not tell. */
  readonly files: readonly string[];
  readonly untold: readonly string[];
}

/** Whatever becomes of its code. */
export const ALWAYS: Grant = { what: "code", value: "always" };

/** `modules`: absolute paths. Rejects as `codeOf` does. */
export async function codeGrants(project: string, modules: readonly string[]): Promise<readonly CodeGrant[]> {
  const grants: CodeGrant[] = [];
  for (const path of modules) {
    const { hash, files, untold } = await codeOf(project, [path]);
    grants.push({ what: `code ${shownPath(project, path)}`, value: `sha256:${hash}`, files, untold });
  }
  return grants;
}
