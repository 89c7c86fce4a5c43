// What other programs say through the person's log: as Control, marked as from outside, and once for one request.
//
//   K9. A request is in the log of agent 0 together with what was said for it: whoever repeats it, whenever, is told the same
//       messages, and nothing is said again.

import { createHash } from "node:crypto";
import { LegionError } from "../base/errors.ts";
import { quote } from "../base/text/wording.ts";
import { sendsOf, type Event } from "../domain/event/event.ts";
import { CONTROL, parseMessageId, type AgentId } from "../domain/message/message.ts";
import { resolveTargets, writeLetter, type PostalService } from "./compose.ts";
import type { LetterWriter, LetterWriting } from "./log-access.ts";

export interface RelayedWords {
  readonly targets: readonly AgentId[];
  readonly content: string;
  /** The name that the program gave to its call. */
  readonly request: string;
}

/** What was said for a request. */
export interface Relayed {
  /** Of the messages, and whom they are to, in the same order. */
  readonly ids: readonly string[];
  readonly to: readonly AgentId[];
  /** The event of log 0 that says it. */
  readonly seq: number;
}

export interface Relay {
  /**
   * Says it to each target once it is safe in the log; the messages of earlier where the request is known. Throws REFUSED, also where the
   * request was one for other words.
   */
  relay(words: RelayedWords): Promise<Relayed & { readonly isRepeated: boolean }>;
  /** What was said for `request`, if anything was. */
  relayed(request: string): Promise<Relayed | undefined>;
}

/** Where a message comes from that a program had said. */
const OUTSIDE = { taint: ["another program"] } as const;
/** What stands in a log in place of a secret: it may have stood in words that are the same. */
const HIDDEN = "[redacted:";

interface ForRequest extends Relayed {
  /** Of what was said; absent where a secret was hidden in it. */
  readonly digest?: string;
}

export function createRelay(log: LetterWriter, post: PostalService): Relay {
  const requests = createRequests();
  return {
    relayed: (request) => log.alone(async ({ memory }) => (await requests.upToDate(memory)).get(request)),
    async relay({ targets, content, request }) {
      const wanted = { to: [...new Set(targets)], digest: digestOf(content) };
      const { said, isRepeated, outbox } = await log.alone(async ({ memory, outbox }) => {
        const earlier = (await requests.upToDate(memory)).get(request);
        if (earlier) {
          refuseOther(earlier, wanted, request);
          return { said: earlier, isRepeated: true, outbox };
        }
        const to = resolveTargets(targets, await post.known(), CONTROL);
        const letter = { from: CONTROL, to, content, marks: OUTSIDE };
        const { sends, refusal } = await writeLetter(memory, letter, post);
        if (refusal) throw new LegionError("REFUSED", refusal.reason);
        await memory.commit({ kind: "notice", reason: "said", content, sends, details: { request } });
        return { said: (await requests.upToDate(memory)).get(request)!, isRepeated: false, outbox };
      });
      await outbox.deliver();
      const { digest: _, ...relayed } = said;
      return { ...relayed, isRepeated };
    },
  };
}

/** The request that `event` was said for. */
export function requestOf(event: Event): string | undefined {
  if (event.kind !== "notice" || event.reason !== "said") return undefined;
  const { request } = Object(event.details) as { readonly request?: unknown };
  return typeof request === "string" ? request : undefined;
}

/** All requests of a log. What was read of it once is not read again. */
function createRequests() {
  const known = new Map<string, ForRequest>();
  let read = 0;
  return {
    async upToDate(memory: Pick<LetterWriting["memory"], "read">): Promise<ReadonlyMap<string, ForRequest>> {
      for await (const event of memory.read(read + 1)) {
        read = event.seq;
        const request = requestOf(event);
        if (request === undefined || known.has(request) || event.kind !== "notice") continue;
        const ids = sendsOf(event).map(({ id }) => id);
        const to = ids.map((id) => parseMessageId(id).to);
        known.set(request, { ids, to, seq: event.seq, digest: digestOf(event.content) });
      }
      return known;
    },
  };
}

/** One name for two calls would leave the second one unsaid, and nobody would know. */
function refuseOther(
  earlier: ForRequest,
  { to, digest }: Pick<ForRequest, "to" | "digest">,
  request: string,
): void {
  const isSame = (earlier.digest ?? digest) === digest && earlier.to.join() === to.join();
  if (!isSame)
    throw new LegionError("REFUSED", `${quote(request)} was the id of another call; give this one a new id.`);
}

function digestOf(content: string): string | undefined {
  return content.includes(HIDDEN) ? undefined : createHash("sha256").update(content).digest("base64");
}
