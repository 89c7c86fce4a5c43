// Agents that other programs have a running legion host. A program says what an agent shall do and which definition of the
// project it is made of; everything else is as the person settled it for this legion.
//
//   K8. The name of an agent is made of the name of the call that asked for it: whoever repeats the call, also after a crash
//       at any moment, is given the same agent.

import { createHash } from "node:crypto";
import { isLegionError, LegionError } from "../../base/errors.ts";
import { onceEach } from "../../base/once-each.ts";
import { packageDir } from "../../base/package.ts";
import type { Variables } from "../../base/process/variables.ts";
import { inTurns } from "../../base/turns.ts";
import type { Config } from "../../config/config.ts";
import { admitTrusted } from "../../config/grants/admission.ts";
import { isAgentId, type AgentId } from "../../domain/message/message.ts";
import { findEnvironment } from "../../environment/open.ts";
import type { Relay } from "../../mail/relay.ts";
import { planRoster, type Roster, type Who } from "../roster.ts";
import type { OpenedLegion } from "./open-node.ts";
import { remember } from "./remember.ts";

/** How many agents a node hosts at once because programs want it. */
export const MAX_SPAWNED = 32;

export interface SpawnOrder {
  /** The name of a definition; absent: the one that agents of this project are made of. */
  readonly agent?: string;
  /** The first message to it. */
  readonly task: string;
  /** The program's own name for this call. */
  readonly request: string;
}

export interface Spawner {
  /**
   * Hosts a new agent and gives it its task; where the request is known, tells of the agent that it made, which is hosted again if this
   * node has not had it yet. Rejects with USAGE or CONFIG for a definition that is not there, or not trusted, with REFUSED where there
   * are too many, or the request was one for another call.
   */
  spawn(order: SpawnOrder): Promise<{ readonly agent: AgentId } & Awaited<ReturnType<Relay["relay"]>>>;
  /**
   * Hosts those of `agents`, which are known, that nobody runs, each as it was last started. Resolves with why not of those
   * that do not run, in a line each.
   */
  wake(agents: readonly AgentId[]): Promise<readonly string[]>;
}

export interface SpawnPlace {
  readonly opened: OpenedLegion;
  readonly config: Config;
  /** Real path of its folder. */
  readonly project: string;
  /** As of `planRoster`. */
  readonly home?: string;
  readonly env: Variables;
}

export function createSpawner(place: SpawnPlace): Spawner {
  const { legion, backend } = place.opened;
  const host = createHost(place);
  const inTurn = inTurns();
  const came = new Set<AgentId>();
  const isRunning = (id: AgentId): boolean =>
    (legion.agents.get(id)?.standing.state ?? "stopped") !== "stopped";
  const letIn = async (id: AgentId, who: Who): Promise<void> => {
    if ([...came].filter(isRunning).length >= MAX_SPAWNED) throw tooMany();
    await host(who);
    came.add(id);
  };
  /** Resolves with why it does not run, if it does not. */
  const wake = async (id: AgentId): Promise<string | undefined> => {
    const held = (await backend.nodes?.whereabouts([id]))?.of(id);
    if (isRunning(id) || held?.holder !== undefined) return undefined;
    if (legion.agents.has(id) || held?.isStopped) return STOPPED;
    await letIn(id, { kind: "again", agents: [remember(id, await backend.reader.record(id))] });
    return undefined;
  };
  return {
    wake: (agents) =>
      inTurn(async () => {
        const remarks: string[] = [];
        for (const id of agents) {
          const why = await wake(id).catch(reasonOf);
          if (why !== undefined) remarks.push(`${id}: ${why}`);
        }
        return remarks;
      }),
    spawn: ({ agent, task, request }) =>
      inTurn(async () => {
        const earlier = await legion.control.relayed(request);
        // The project's own choice may be another one by now.
        const made = agent === undefined ? earlier?.to.find((to) => isNamedAfter(to, request)) : undefined;
        const definition = agent ?? place.config.agent;
        const id = made ?? nameFor(definition, request);
        const words = { targets: [id], content: task, request };
        // It was the name of another call, which is refused before anybody comes.
        if (earlier && earlier.to.join() !== id) return { agent: id, ...(await legion.control.relay(words)) };
        const coming = legion.known().includes(id)
          ? wake(id)
          : letIn(id, { kind: "given", members: [{ id, agent: definition, limits: {} }] });
        await coming.catch(unlessElsewhere);
        return { agent: id, ...(await legion.control.relay(words)) };
      }),
  };
}

function createHost({
  opened,
  config,
  project,
  home: runHome,
  env,
}: SpawnPlace): (who: Who) => Promise<void> {
  const findOnce = onceEach(() => findEnvironment(env));
  const admit = admitTrusted(project, env, "`legion trust --trust` does so");
  return async (who) => {
    const machine = { finding: await findOnce(""), variables: env };
    const places = { projectDir: project, packageDir };
    const { roles, limits, protectedPaths } = await planRoster(who, {
      ...{ config, places, admit, machine, runHome },
    });
    if (limits.cost !== undefined && opened.limits.cost === undefined) throw unlimited(roles);
    opened.protect(protectedPaths);
    for (const { plan } of roles) await opened.legion.host(plan);
  };
}

/** A legion that was started with free models alone has no limit for what costs: each of its agents would have one of its own. */
function unlimited(roles: Roster["roles"]): LegionError {
  const models = [...new Set(roles.map(({ plan }) => plan.model.name))].join(", ");
  const way = "`legion start --limits cost=5` sets one";
  return new LegionError("REFUSED", `${models} costs, and the legion runs without a limit for that; ${way}`);
}

const NAME_CHARS = 40;

/** `Code Reviewer` is `code-reviewer-` and eight digits of its own. */
function nameFor(definition: string, request: string): AgentId {
  const plain = definition.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const name = plain.slice(0, NAME_CHARS).replace(/^-+|-+$/g, "") || "agent";
  const own = ownPart(request);
  return isAgentId(`${name}-${own}`) ? `${name}-${own}` : `agent-${own}`;
}

function isNamedAfter(id: AgentId, request: string): boolean {
  return id.endsWith(`-${ownPart(request)}`);
}

function ownPart(request: string): string {
  return createHash("sha256").update(request).digest("hex").slice(0, 8);
}

const STOPPED = "a person stopped it; `legion start --only` runs it again";

function reasonOf(error: unknown): string {
  if (!isLegionError(error)) throw error;
  return error.message;
}

/** Another node of the legion has it, where the call was heard before. */
function unlessElsewhere(error: unknown): void {
  if (!isLegionError(error, "LOCKED")) throw error;
}

function tooMany(): LegionError {
  const way = "`legion stop <id>` ends one that is done";
  return new LegionError(
    "REFUSED",
    `programs have ${MAX_SPAWNED} agents running here, as many as there may be; ${way}`,
  );
}
