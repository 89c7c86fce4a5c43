// Whoever runs the legion while programs want something of it: the node that is there, or, while none is, this process, until
// its programs are gone or a person ends it.

import { setTimeout as delay } from "node:timers/promises";
import { rulesWith, type Rules } from "../../../../modules/memory/prompts/rules.ts";
import { LegionError, isLegionError, messageOf } from "../../../base/errors.ts";
import { createRedactor } from "../../../base/redaction/redactor.ts";
import { packageDir } from "../../../base/package.ts";
import { inTurns } from "../../../base/turns.ts";
import type { Config, ConfigFlags } from "../../../config/config.ts";
import { grantedRules, memoryPrompts } from "../../../config/grants/memory-prompts.ts";
import { trustIn } from "../../../config/grants/trust.ts";
import { leftOut } from "../../../config/grants/left-out.ts";
import { knownDefinitions } from "../../../config/known-definitions.ts";
import { loadConfig } from "../../../config/load-config.ts";
import type { ProgramDoor } from "../../../control/mcp/door.ts";
import { findNode, type NodeClient } from "../../../control/socket/client.ts";
import { DEFAULT_LEGION_COST, resolveLimits } from "../../../domain/limits.ts";
import { openNode, type OpenedLegion } from "../../../legion/opening/open-node.ts";
import { createSpawner, type Spawner } from "../../../legion/opening/spawner.ts";
import { DEFAULT_QUESTIONS } from "../../../legion/rulebook.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";
import { createAdmission } from "../../consent/ask-trust.ts";
import type { Io } from "../../kit/command.ts";
import { oneLine } from "../../kit/output.ts";
import type { Site } from "../../kit/target.ts";
import { watchSite } from "../../look/dashboard.ts";
import { trustLastFlags } from "../start/last-limits.ts";
import { createNotifier } from "../start/notify.ts";

/** How long a node that is starting may take until it can be talked to. */
const STARTING_MS = 5_000;
const RETRY_MS = 100;

interface OwnNode {
  readonly spawner: Spawner;
  close(): Promise<void>;
  interrupt(): void;
}

export interface ProgramHost extends ProgramDoor {
  /** Finishes what runs here. */
  close(): Promise<void>;
  /** Ends at once what runs here. */
  interrupt(): void;
}

/** @param place as it was typed */
export function createProgramHost(site: Site, place: TypedPlace, io: Io): ProgramHost {
  const { project, config, backend } = site;
  const { socket } = legionPaths(project);
  const inTurn = inTurns();
  let own: OwnNode | undefined;
  let isEnded = false;
  const endOwn = async (): Promise<void> => {
    const ending = own;
    own = undefined;
    await ending?.close();
  };
  const onStop = (): void => {
    isEnded = true;
    tell("the legion was ended by a person; `legion start` runs it again", io);
    void inTurn(endOwn);
  };
  /** The node that runs here, or what this process runs from now on. */
  const find = (): Promise<OwnNode | NodeClient> =>
    inTurn(async () => {
      const deadline = Date.now() + STARTING_MS;
      for (;;) {
        const node = own ?? (backend.nodes ? undefined : await findNode(socket));
        if (node) return node;
        if (isEnded)
          throw new LegionError("REFUSED", "a person ended the legion; they run it again: `legion start`");
        try {
          own = await openOwnNode({ site, place, onStop }, io);
        } catch (error) {
          if (!isLegionError(error, "LOCKED") || Date.now() > deadline) throw error;
          await delay(RETRY_MS);
        }
      }
    });
  return {
    site,
    async spawn(order) {
      const node = await find();
      return "spawner" in node ? node.spawner.spawn(order) : node.spawn(order);
    },
    async wake(agents) {
      try {
        const node = await find();
        return "spawner" in node
          ? await node.spawner.wake(agents)
          : (await node.wake({ targets: agents })).remarks;
      } catch (error) {
        if (!isLegionError(error)) throw error;
        // What was said is kept all the same.
        return [messageOf(error)];
      }
    },
    rules: () => rulesNow(site, io),
    definitions: () =>
      knownDefinitions({ projectDir: project, packageDir, trust: config.trust, home: config.home }),
    close: () => inTurn(endOwn),
    interrupt: () => own?.interrupt(),
  };
}

/** What the person grants meanwhile counts, too. */
async function rulesNow({ project, config }: Site, { env }: Io): Promise<Rules> {
  const trust = await trustIn(project, openPersonFolder(env), config.trust.bounds);
  const granted = grantedRules(await memoryPrompts(project, trust));
  return createRedactor(config.secrets()).value(rulesWith(granted));
}

function tell(text: string, { stderr }: Pick<Io, "stderr">): void {
  stderr.write(`legion: ${oneLine(text)}\n`);
}

/** Where the legion is, if not where the settings say. */
type TypedPlace = Pick<ConfigFlags, "bus" | "name">;

interface OwnNodeOrder {
  readonly site: Site;
  readonly place: TypedPlace;
  readonly onStop: () => void;
}

/** Hosts nobody yet. Rejects as `openNode`. */
async function openOwnNode({ site, place, onStop }: OwnNodeOrder, io: Io): Promise<OwnNode> {
  const { env } = io;
  const { project } = site;
  const config = await settle(site, place, io);
  const said = (text: string): void => tell(text, io);
  const opened = await openNode({
    ...{ config, project, env, plans: [], heartbeatMs: config.heartbeatMs },
    limits: resolveLimits({ cost: DEFAULT_LEGION_COST }, config.limits.legion),
    protectedPaths: () => [],
    voices: { onRetry: said, onWarning: said, onTrouble: said },
    questions: {
      mode: config.approvals.mode ?? "wait",
      expireMs: config.approvals.expireMs ?? DEFAULT_QUESTIONS.expireMs,
    },
  });
  const { legion, backend } = opened;
  const notifier = createNotifier(config.notify, project, said);
  legion.inspector.watch(notifier.see);
  const spawner = createSpawner({ opened, config, project, env });
  const { serveLegion } = await import("../../../control/serve-legion.ts");
  const server = await serveLegion(opened, legionPaths(project).socket, {
    onStop,
    spawner,
    watch: (own) => watchSite({ ...site, backend }, io.env, own),
  }).catch(async (error: unknown) => {
    await closeAll(opened);
    throw error;
  });
  return {
    spawner,
    interrupt: () => legion.interrupt(),
    async close() {
      try {
        await legion.stop();
      } finally {
        await server.close();
        await backend.close();
      }
    },
  };
}

async function closeAll({ legion, backend }: OpenedLegion): Promise<void> {
  await legion.stop();
  await backend.close();
}

/** As the last start was told, as far as that is not more than the person granted; nobody is asked. */
async function settle({ project, reader }: Site, { bus, name }: TypedPlace, io: Io): Promise<Config> {
  const last = (await reader.lastStart())?.flags;
  const typed = { options: { json: "true" } };
  const flags = await trustLastFlags(last, project, createAdmission(project, typed, io), { typed, io });
  const config = await loadConfig({ projectDir: project, env: io.env, flags: { ...flags, bus, name } });
  const open = config.grants.filter(({ isGranted }) => !isGranted);
  if (open.length > 0) tell(leftOut(open), io);
  return config;
}
