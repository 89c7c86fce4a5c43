// The table of routes over the place where a legion is kept: from any machine, by whoever can reach that place. They speak
// as the person; what keeps others away is its password, and the network that it is in.
//
//   D1. What is asked twice within a minute is done once, and answered twice: a client may ask again when it hears nothing.
//   D2. Whatever is said on the channel, nothing is thrown: what makes no sense is refused, or, from nobody, not heard.

import type { Nodes } from "../../storage/contract/nodes.ts";
import { LegionError } from "../../base/errors.ts";
import { refusalOf } from "../api/refusal.ts";
import { ROUTES, type NodeApi } from "../api/routes.ts";
import { answerOf, routeAt, type ControlServer } from "../api/serve.ts";
import { readRequest, type OrderAnswer, type OrderRequest } from "./wire.ts";

const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 1_000;
const TOO_MANY = new LegionError(
  "REFUSED",
  `the node was given ${MAX_REMEMBERED} orders within a minute; wait`,
);

export interface ServedOverNodes {
  readonly nodes: Nodes;
  /** The id of this process among its nodes. */
  readonly node: string;
  readonly service: NodeApi;
}

/** Answers what is asked of `node`, from the moment that this resolves. Rejects with STORAGE if that place does not answer. */
export async function serveOverNodes({ nodes, node, service }: ServedOverNodes): Promise<ControlServer> {
  const once = createMemoryOfAnswers();
  const open = new Set<Promise<void>>();
  const hear = async (request: OrderRequest): Promise<void> => {
    const answer = once(request, () => answerTo(request, service));
    nodes.channel("client", request.client).hint(await answer);
  };
  const leave = await nodes.channel("node", node).listen((text) => {
    const request = readRequest(text);
    if (!request) return;
    const hearing = hear(request).finally(() => open.delete(hearing));
    open.add(hearing);
  });
  return {
    async close() {
      leave();
      await Promise.all(open);
    },
  };
}

/** Never rejects. */
async function answerTo({ id, path, body }: OrderRequest, service: NodeApi): Promise<string> {
  let answer: OrderAnswer;
  try {
    const route = routeAt(path);
    if (route === undefined) throw new LegionError("USAGE", `there is no ${JSON.stringify(path)}`);
    answer = { id, answer: await answerOf(service, route, body) };
  } catch (error) {
    answer = { id, ...refusalOf(error) };
  }
  return JSON.stringify(answer);
}

/** Answers a request that it knows with what it was answered, or will be. */
function createMemoryOfAnswers() {
  const given = new Map<string, Promise<string>>();
  return (request: OrderRequest, make: () => Promise<string>): Promise<string> => {
    // Its answer is long and old at once, and asking changes nothing.
    const route = routeAt(request.path);
    if (route !== undefined && ROUTES[route].method === "get") return make();
    const known = given.get(request.id);
    if (known) return known;
    // To forget one sooner could mean to do it twice.
    if (given.size >= MAX_REMEMBERED)
      return Promise.resolve(JSON.stringify({ id: request.id, ...refusalOf(TOO_MANY) }));
    const answer = make();
    given.set(request.id, answer);
    setTimeout(() => given.delete(request.id), REMEMBERED_MS).unref();
    return answer;
  };
}
