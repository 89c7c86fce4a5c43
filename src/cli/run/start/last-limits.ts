// What the last start was told stands in the project, where anybody may have written it: limits laxer than ours count if
// the person typed them, here, or says so now.

import { loadConfig } from "../../../config/load-config.ts";
import type { WantedGrant } from "../../../config/grants/grant.ts";
import { isLaxer } from "../../../config/grants/widenings.ts";
import type { Admit } from "../../../config/module-loader.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { grant, granted } from "../../../storage/folder/person/trust.ts";
import type { Io, Typed } from "../../kit/command.ts";
import type { Recalled } from "./selection.ts";

const WHAT = "limits of the last start";
const BY = ".ai-legion/agents/0/agent.json";

/** What of the last start this one may take over. Keeps the person's word for limits that they typed. */
export async function trustLastFlags(
  last: Recalled["flags"],
  project: string,
  admit: Admit,
  { typed, io }: { readonly typed: Pick<Typed, "options">; readonly io: Pick<Io, "env"> },
): Promise<Recalled["flags"]> {
  const value = typed.options["limits"] ?? last?.limits;
  if (value === undefined) return last;
  const person = openPersonFolder(io.env);
  const { trust } = await loadConfig({ projectDir: project, env: io.env, flags: {} });
  if (!isLaxer(value, trust.bounds) || (await granted(person, project, WHAT)) === value) return last;
  if (typed.options["limits"] !== undefined) {
    await grant(person, project, { what: WHAT, value });
    return last;
  }
  const says = `use the limits ${value}, as its last start is said to have been told`;
  const wanted: WantedGrant = { what: WHAT, value, says, by: BY, isGranted: false };
  await admit({ modules: [], grants: [wanted] });
  return (await granted(person, project, WHAT)) === value ? last : { ...last, limits: undefined };
}

/** Keeps the person's word for limits that they say while it runs. */
export async function keepLimits(project: string, value: string, { env }: Pick<Io, "env">): Promise<void> {
  const { trust } = await loadConfig({ projectDir: project, env, flags: {} });
  if (isLaxer(value, trust.bounds)) await grant(openPersonFolder(env), project, { what: WHAT, value });
}
