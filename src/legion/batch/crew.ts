// Who works at the tasks of a batch: an agent for each, all of one definition, each in a workspace of its own.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { onceEach } from "../../base/once-each.ts";
import { findDefinition, type Definition, type Member } from "../../config/definition.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { checkEnvironment, findEngine, workspaceFromImage } from "../../environment/open.ts";
import { CONTAINER_KINDS, mergeEnvironments, type EnvironmentChoice } from "../../environment/settings.ts";
import { copyWorkspace } from "../../environment/workspace/copy.ts";
import { holdsBatch } from "../../storage/files/batches.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import { environmentChoiceOf, environmentIn } from "../hosting/agent-policy.ts";
import type { AgentPlan } from "../hosting/agent-plan.ts";
import { createCasting, type RosterDeps } from "../roster.ts";

export interface WorkforceOrder extends RosterDeps {
  readonly machine: NonNullable<RosterDeps["machine"]>;
  /** Name or path of the definition of all of them. */
  readonly reference: string;
  /** Absolute real path of the home of the batch. */
  readonly home: string;
  /** Absolute path of what says its tasks, in a real folder. */
  readonly tasks: string;
  /** Where each has one, that of the first which is still to be begun. */
  readonly image: string | undefined;
}

/** Where a task is worked at. */
export interface TaskSite {
  /** Absolute real path of the folder that is copied; absent: nobody named one. */
  readonly source?: string;
  readonly image?: string;
  /** Where an image of its kind has the workspace; absent: nobody knows. */
  readonly inImage?: string;
}

export interface Equipped {
  readonly plan: AgentPlan;
  /** For people, a line each: what in a workspace that was made now is not as in its source. */
  readonly remarks: readonly string[];
}

export interface Workforce {
  /** The same for those that are made of the same. */
  readonly digest: string;
  /** Where commands of that task are run. */
  readonly environment: EnvironmentChoice;
  /** Looks whether the image is here. Rejects with CONFIG. */
  check(image: string): Promise<void>;
  /** The plan of an agent, whose workspace is made now, unless it is there. Rejects with what stands against that. */
  prepare(agent: AgentId, site: TaskSite, signal: AbortSignal): Promise<Equipped>;
}

/** Rejects as `findDefinition`. */
export async function openWorkforce(order: WorkforceOrder): Promise<Workforce> {
  const { config, places, machine, reference, home, tasks } = order;
  const { trust, home: personHome } = config;
  const commandsIn = (own: EnvironmentChoice) => environmentIn(config, own);
  const definition = await findDefinition(reference, { ...places, trust, home: personHome, commandsIn });
  const asked: Member = { id: "batch", agent: reference, limits: {} };
  const usual = environmentChoiceOf(asked, definition, config);
  const cast = createCasting({ ...order, onRemark: undefined, runHome: home });
  const { workspaces } = legionPaths(places.projectDir, home);
  const engine = onceEach(() => Promise.resolve(findEngine(machine.variables)));
  const choiceWith = async (image: string | undefined): Promise<EnvironmentChoice> => {
    // A copy that is no repository would be a part of one around it: what is done in it is none of that one's business.
    const set = { ...usual.set, GIT_CEILING_DIRECTORIES: workspaces };
    if (image === undefined) return { set };
    const isContainer = CONTAINER_KINDS.some((kind) => kind === usual.kind);
    return isContainer ? { image, set } : { kind: await engine(""), image, set };
  };
  const makeWorkspace = async (
    root: string,
    site: TaskSite,
    { choice, signal }: { readonly choice: EnvironmentChoice; readonly signal: AbortSignal },
  ): Promise<readonly string[]> => {
    const { variables } = machine;
    if (site.image !== undefined && site.source === undefined && choice.at !== undefined) {
      await workspaceFromImage({ choice, variables }, { at: choice.at, target: root, signal });
      return [];
    }
    const source = site.source ?? places.projectDir;
    // What agents of this batch, or of an earlier one, came to is no part of a task.
    return copyWorkspace({
      ...{ source, target: root, signal },
      isLeft: holdsBatch,
      ignored: [tasks],
      variables: { ...variables },
    });
  };
  // No image is needed but those of tasks.
  const environment = await choiceWith(order.image);
  return {
    digest: digestOf(definition, (await cast({ ...asked, environment })).plan),
    environment,
    async check(image) {
      const choice = mergeEnvironments(usual, await choiceWith(image));
      await checkEnvironment({ ...machine, choice });
    },
    async prepare(agent, site, signal) {
      const said = await choiceWith(site.image);
      const at = mergeEnvironments(usual, said).at ?? (site.source === undefined ? site.inImage : undefined);
      const environment = { ...said, ...(site.image !== undefined && at !== undefined && { at }) };
      const root = join(workspaces, agent);
      const { plan } = await cast({ ...asked, id: agent, environment });
      const choice = mergeEnvironments(usual, environment);
      const remarks = await makeWorkspace(root, site, { choice, signal });
      return { plan: { ...plan, workspace: () => Promise.resolve({ root }) }, remarks };
    },
  };
}

/** What they may spend is no part of what they are. */
function digestOf(
  { limits: _limits, grants: _grants, ...definition }: Definition,
  { model }: AgentPlan,
): string {
  return createHash("sha256")
    .update(JSON.stringify({ definition, model: model.name }))
    .digest("hex");
}
