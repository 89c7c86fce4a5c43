// Which agents this node runs, out of those that it could. Once a second it says that it is there, hears who else is, takes
// free agents up to its share, and hands over what is above it.
//
//   round: attend -> weigh -> take what is due -> hand over the surplus          (each second, and when an agent becomes free)
//
// It only says who had better run an agent. That no two do is what leases are for.
//
//   W4. A node that ends counts for nobody's share from then on, and is a member until it has ended.
//   W5. While Redis is out of reach it is tried every second, and nothing is given up but what the leases end.

import type { Clock } from "../../../base/clock.ts";
import { createCrew, type Crew, type CrewOptions } from "./assignments.ts";
import { isLegionError, messageOf } from "../../../base/errors.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { oneAtATime } from "../../../base/turns.ts";
import { legionKeys } from "../scripts/keys.ts";
import type { Link } from "../connection/link.ts";
import type { NodeRecord } from "../../contract/nodes.ts";
import { LEASE_MS } from "./leases.ts";
import { attend, leave } from "./members.ts";
import type { LegionPlace } from "../scripts/scope.ts";

export interface PlacementOptions extends LegionPlace, Omit<CrewOptions, "self"> {
  readonly clock: Clock;
  readonly node: Omit<NodeRecord, "agents" | "able" | "inBackground">;
  /** Absent: of nobody. */
  readonly inBackground?: () => NodeRecord["inBackground"];
  /** Told one line for people when Redis does not answer, and one when it does again. */
  onTrouble?(text: string): void;
}

export interface Placement {
  /** The members of the legion as of the last round, by id. */
  readonly nodes: readonly NodeRecord[];
  /** Why an agent that should run here does not; `undefined` if nothing is wrong. */
  trouble(agent: AgentId): string | undefined;
  /** Resolves when every agent that may run here does, or runs elsewhere, or cannot run at present. */
  settled(): Promise<void>;
  /** This node has a plan for one more agent, and asks for it now. */
  add(agent: AgentId): void;
  /** This node has none any more: ends it if it runs here, and lets others take it. */
  drop(agent: AgentId): Promise<void>;
  /** Ends it if it runs here, and lets others take it. */
  giveBack(agent: AgentId): Promise<void>;
  /** Ends and gives back everything, then leaves the legion. Rejects, after that, if an agent ended badly. */
  close(): Promise<void>;
}

const ROUND_MS = 1_000;
/** A thousand leases that end one after the other make ten rounds a second. */
const SHORTEST_MS = 100;
/** By so much a lease is surely over. */
const MARGIN_MS = 5;

export function startPlacement(options: PlacementOptions): Placement {
  const { link, legion, clock, node, inBackground = () => [], onTrouble } = options;
  const { trouble, drop, giveBack, ...crew } = createCrew({ ...options, self: node.id });
  const ended = new AbortController();
  const pause = createPause(crew, clock, ended.signal);
  let nodes: readonly NodeRecord[] = [];
  let isClosing = false;
  let isDown = false;
  let unlisten: (() => void) | undefined;

  const meet = async (): Promise<void> => {
    unlisten ??= await link.listen(legionKeys(legion).free, (agent) => {
      crew.noteFree(agent);
      void round();
    });
    const able = isClosing ? [] : crew.able();
    nodes = await attend(options, { ...node, agents: crew.size(), able, inBackground: inBackground() });
  };
  const round = oneAtATime(async () => {
    if (ended.signal.aborted) return;
    const failure = await meet().then(() => undefined, messageOf);
    if (failure !== undefined && !isDown)
      onTrouble?.(`${reasonOf(link) ?? failure}; agents wait until Redis answers`);
    if (failure === undefined && isDown) onTrouble?.("Redis answers again");
    isDown = failure !== undefined;
    if (!isDown && !isClosing) crew.level(nodes);
  });
  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await round();
      await pause(nodes);
    }
  };
  const running = run();
  const offReturn = link.onReturn(() => void round());
  return {
    get nodes() {
      return nodes;
    },
    ...{ trouble, drop, giveBack },
    settled: () => crew.settled,
    add(agent) {
      crew.add(agent);
      void round();
    },
    async close() {
      isClosing = true;
      // From now on the others reckon without this node, which stays a member until it has ended.
      void round();
      const failures = await crew.dismiss();
      ended.abort();
      offReturn();
      unlisten?.();
      // A round that is under way would make this node a member once more.
      await Promise.all([round(), running]);
      await leave({ link, legion }, node.id).catch(unlessUnreachable);
      if (failures.length > 0) throw failures[0];
    },
  };
}

/**
 * Resolves when the next round is due. The agents of a member that vanished become free as their leases end, at no round's
 * time: for so long nobody waits for a round besides.
 */
function createPause(crew: Pick<Crew, "nextDueMs" | "pass">, clock: Clock, signal: AbortSignal) {
  let before: readonly NodeRecord[] = [];
  let vigilMs = 0;
  return async (nodes: readonly NodeRecord[]): Promise<void> => {
    const ids = new Set(nodes.map(({ id }) => id));
    if (before.some(({ id }) => !ids.has(id))) vigilMs = LEASE_MS;
    before = nodes;
    const dueMs = vigilMs > 0 ? crew.nextDueMs() + MARGIN_MS : ROUND_MS;
    const ms = Math.max(SHORTEST_MS, Math.min(ROUND_MS, dueMs));
    await clock.sleep(ms, signal);
    crew.pass(ms);
    vigilMs -= ms;
  };
}

function reasonOf({ standing }: Link): string | undefined {
  return standing.state === "down" ? standing.reason : undefined;
}

/** Whoever cannot say goodbye is missed soon. */
function unlessUnreachable(error: unknown): void {
  if (!isLegionError(error, "STORAGE")) throw error;
}
