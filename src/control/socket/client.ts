// The other end of the control socket: what a command asks of the node that runs.

import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import { LegionError, messageOf } from "../../base/errors.ts";
import type { Inspection } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { createClient } from "../api/client.ts";
import { refusalSchema } from "../api/refusal.ts";
import type { NodeApi } from "../api/routes.ts";
import { findSocket } from "./socket-path.ts";

/** Every method rejects with REFUSED, too, if the node ends or does not answer. */
export interface NodeClient extends NodeApi {
  /**
   * What watchers of one agent see from the moment that this resolves; ends when the node does or `signal` aborts, and
   * where this end does not keep up.
   */
  follow(agent: AgentId, signal: AbortSignal): Promise<AsyncIterable<Inspection>>;
}

const ANSWER_MS = 10_000;

/** The node that listens at `named`; `undefined` if none does. */
export async function findNode(named: string): Promise<NodeClient | undefined> {
  const socketPath = await findSocket(named);
  if (socketPath === undefined || !(await answers(socketPath))) return undefined;
  return {
    // Without `/v1`, as nodes of the version before serve it, too.
    ...createClient((path, question) => exchange({ socketPath, method: "POST", path }, question)),
    async follow(agent, signal) {
      const path = `/events?agent=${encodeURIComponent(agent)}`;
      const lines = readLines(await send({ socketPath, method: "GET", path, signal }));
      await lines.next();
      return parseLines(lines);
    },
  };
}

/** Does somebody listen there? A file that a dead node left refuses connections. */
async function answers(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  const connected = await once(socket, "connect").catch(() => undefined);
  socket.destroy();
  return connected !== undefined;
}

interface SocketCall {
  readonly socketPath: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly signal?: AbortSignal;
}

async function exchange(call: SocketCall, body: object): Promise<unknown> {
  const response = await send({ ...call, signal: AbortSignal.timeout(ANSWER_MS) }, body);
  const answer = await json(response).catch((error: unknown) => Promise.reject(lost(error)));
  const refusal = refusalSchema.safeParse(answer);
  if (refusal.success) throw new LegionError(refusal.data.error.code, refusal.data.error.message);
  return answer;
}

function send(call: SocketCall, body?: object): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { host: "localhost", ...(body && { "content-type": "application/json" }) };
    const asked = request({ ...call, headers, agent: false }, resolve);
    asked.on("error", (error) => reject(lost(error)));
    asked.end(body && JSON.stringify(body));
  });
}

function lost(error: unknown): LegionError {
  const isLate = error instanceof Error && error.name === "AbortError";
  const reason = isLate ? `did not answer within ${ANSWER_MS / 1_000} s` : `went away (${messageOf(error)})`;
  return new LegionError("REFUSED", `The running node ${reason}.`, { cause: error });
}

/** The lines of an endless body. Ends quietly however the connection does. */
async function* readLines(response: IncomingMessage): AsyncGenerator<string, undefined> {
  let rest = "";
  response.setEncoding("utf8");
  try {
    for await (const chunk of response) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch {
    // The node has ended, or nobody wants to hear more of it: both are the end.
  }
  return undefined;
}

async function* parseLines(lines: AsyncIterable<string>): AsyncGenerator<Inspection> {
  for await (const line of lines) yield JSON.parse(line) as Inspection;
}
