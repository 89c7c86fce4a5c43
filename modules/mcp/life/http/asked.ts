// What the library wants sent, as far as it matters on the way.

import { setMaxListeners } from "node:events";

export type RequestId = string | number;

export interface Asked {
  readonly method: "GET" | "POST" | "DELETE";
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Of the request that it is. */
  readonly id?: RequestId;
  /** The request that it takes back. */
  readonly cancels?: RequestId;
  /** Does it answer what the server asked? */
  readonly isReply: boolean;
}

interface Message {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: { readonly requestId?: RequestId };
}

export function readAsked({ method = "GET", headers, body }: RequestInit): Asked {
  const sent = { method: method as Asked["method"], headers: Object.fromEntries(new Headers(headers)) };
  if (typeof body !== "string") return { ...sent, isReply: false };
  const { id, method: name, params } = JSON.parse(body) as Message;
  const cancels = name === "notifications/cancelled" ? params?.requestId : undefined;
  const isReply = name === undefined;
  return { ...sent, body, id: isReply ? undefined : id, cancels, isReply };
}

/** The requests that are under way, by their ids. */
export type UnderWay = Map<RequestId, () => void>;

/** A signal that aborts with `given`, or when the request is taken back. `end` leaves nothing behind. */
export function whileUnderWay(
  given: AbortSignal | null | undefined,
  id: RequestId | undefined,
  all: UnderWay,
) {
  const controller = new AbortController();
  const cancel = (): void => controller.abort(given?.reason);
  // One for all requests of a connection, however many there are at a time.
  if (given) setMaxListeners(0, given);
  given?.addEventListener("abort", cancel);
  if (given?.aborted) cancel();
  if (id !== undefined) all.set(id, cancel);
  return {
    signal: controller.signal,
    end(): void {
      given?.removeEventListener("abort", cancel);
      if (id !== undefined && all.get(id) === cancel) all.delete(id);
    },
  };
}
