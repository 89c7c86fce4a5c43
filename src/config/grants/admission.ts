// What a project brings and wants, and what of it nobody has granted.

import { LegionError } from "../../base/errors.ts";
import type { Variables } from "../../base/process/variables.ts";
import { showUnseen } from "../../base/text/unseen.ts";
import { grantsOf } from "../../storage/folder/person/trust.ts";
import { openPersonFolder, type PersonFolder } from "../../storage/folder/person/folder.ts";
import type { Admit, Brought } from "../module-loader.ts";
import { ALWAYS, codeGrants, type CodeGrant } from "./code.ts";
import type { WantedGrant } from "./grant.ts";

export interface OpenGrants {
  readonly code: readonly CodeGrant[];
  readonly wanted: readonly WantedGrant[];
  /** Was any of it granted with another value? */
  readonly isChange: boolean;
}

/** What of it has to be asked for now; of what is wanted, all of it. */
export async function openGrants(
  { modules, grants }: Brought,
  project: string,
  person: PersonFolder,
): Promise<OpenGrants> {
  const granted = await grantsOf(person, project);
  const isAlways = granted.get(ALWAYS.what) === ALWAYS.value;
  const all = isAlways ? [] : await codeGrants(project, modules);
  const code = all.filter(({ what, value }) => granted.get(what) !== value);
  const isChange = [...code, ...grants].some(({ what }) => granted.has(what));
  return { code, wanted: grants, isChange };
}

/** Nobody is asked: what the person has not granted is left out, and code that they have not trusted is refused with `way`. */
export function admitTrusted(project: string, env: Variables, way: string): Admit {
  return async ({ modules }) => {
    const { code } = await openGrants({ modules, grants: [] }, project, openPersonFolder(env));
    if (code.length > 0) throw untrusted(code, way);
  };
}

/** @param way what would let it run */
export function untrusted(code: readonly CodeGrant[], way: string): LegionError {
  const [first, ...more] = filesOf(code);
  const files = `${showUnseen(first!)}${more.length > 0 ? ` and ${more.length} more` : ""}`;
  return new LegionError("CONFIG", `this project brings code that you have not trusted: ${files}; ${way}`);
}

/** All that would be loaded, each once. */
export function filesOf(code: readonly CodeGrant[]): readonly string[] {
  return [...new Set(code.flatMap(({ files }) => files))];
}
