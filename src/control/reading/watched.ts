// A legion that somebody watches, as all that shows it needs it.

import { LegionError } from "../../base/errors.ts";
import type { ModelRequest } from "../../domain/model.ts";
import type { Today } from "../../legion/prompt/definition-today.ts";
import type { PromptSite } from "../../legion/prompt/next-prompt.ts";
import type { Inspection } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { openPersonFolder, type PersonFolder } from "../../storage/folder/person/folder.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import type { Replaying } from "./replaying.ts";
import type { LegionClient, LegionSite, Overview } from "../api/legion-client.ts";
import type { NodeApi } from "../api/routes.ts";
import { overviewOf } from "../socket/overview.ts";
import { withLegion } from "../open.ts";
import { findNode } from "../socket/client.ts";

export interface WatchedLegion extends LegionSite {
  /** How long a question waits for an answer. */
  readonly expireMs: number;
  /** Does this process run agents of it? */
  readonly runsHere: boolean;
  /** Of whose purse it spends; absent: nobody's. */
  readonly person?: PersonFolder;
  /** Does something with the legion, as a command would. */
  act<T>(use: (legion: LegionClient) => Promise<T>): Promise<T>;
  status(): Promise<Overview>;
  /** Has the node of this folder host agents. Rejects with REFUSED where none runs. */
  wake: NodeApi["wake"];
  /** Tells, as JSON, what nodes elsewhere say of an agent before it is an event, until `signal` aborts; at once done where there are none. */
  overhear(agent: AgentId, tell: (text: string) => void, signal: AbortSignal): Promise<void>;
  /** What a node in this folder tells of an agent from now on; nothing while there is none, or it is about to end. */
  live(agent: AgentId, signal: AbortSignal): Promise<AsyncIterable<Inspection> | Iterable<Inspection>>;
  /** What the agent's model would be shown now. Rejects where nobody can tell, as with code that was not trusted. */
  nextPrompt(agent: AgentId): Promise<ModelRequest>;
  /** Replays its past as today would make it. Rejects where another replay is under way, and as `nextPrompt`. */
  readonly replay: Replaying;
}

export interface WatchedFrom {
  /** The node, where it is this process that runs the legion. */
  readonly own?: Pick<NodeApi, "status" | "wake">;
  /** How its agents would be opened today; absent: they are not. */
  readonly today?: Today & PromptSite["config"];
}

export function watchLegion(
  site: LegionSite,
  expireMs: number,
  { own, today }: WatchedFrom = {},
): WatchedLegion {
  const { socket } = legionPaths(site.project, site.home);
  /** Of all viewers: one replay at a time. */
  let replay: Replaying | undefined;
  const act: WatchedLegion["act"] = (use) => withLegion(site, use);
  return {
    ...site,
    expireMs,
    runsHere: own !== undefined,
    ...(today && { person: openPersonFolder(today.env) }),
    act,
    async replay(order) {
      const { createReplaying } = await import("./replaying.ts");
      replay ??= createReplaying({ ...site, reader: site.backend.reader }, today);
      return replay(order);
    },
    // A node alone in its place knows all that runs, and need not ask itself over its own socket.
    status: async () =>
      own && !site.backend.nodes
        ? overviewOf(site.backend.reader, await own.status({}))
        : act((legion) => legion.status()),
    async wake(question) {
      const node = own ?? (await findNode(socket));
      const way = `no node runs here that could host it; \`legion start --only ${question.targets.join(",")}\` begins one`;
      if (!node) throw new LegionError("REFUSED", way);
      return node.wake(question);
    },
    async overhear(agent, tell, signal) {
      const { nodes } = site.backend;
      if (nodes) await (await import("../nodes/live.ts")).overhear(nodes, agent, tell, signal);
    },
    async live(agent, signal) {
      try {
        const node = await findNode(socket);
        return (await node?.follow(agent, signal)) ?? [];
      } catch {
        return [];
      }
    },
    async nextPrompt(agent) {
      if (!today) throw new LegionError("REFUSED", `here nobody can tell; \`legion prompt ${agent}\` does`);
      const { nextPrompt } = await import("../../legion/prompt/next-prompt.ts");
      const { reader } = site.backend;
      return nextPrompt({ ...site, reader, config: today }, agent, today);
    },
  };
}
