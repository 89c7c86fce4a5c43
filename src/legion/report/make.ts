// The report of a legion, from the digests of its logs, one after the other: only sums and the lines that are told stay in memory.

import { messageOf } from "../../base/errors.ts";
import { readAhead } from "../../base/turns.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import { addCharge, NO_CHARGE } from "../../past/digest/charges/charge.ts";
import type { Digest } from "../../past/digest/digest.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { recordedKnots } from "../knots/recorded.ts";
import { openQuestionsOf } from "../questions.ts";
import type { AgentStatus } from "../status.ts";
import { createRoots, spentBy, type Roots } from "./asked.ts";
import { createChanged } from "./changed.ts";
import { createOdd } from "./odd.ts";
import type { Report, ReportWaiting } from "./report.ts";
import { tellAsked } from "./tell-asked.ts";
import { lettersIn, waitingOf } from "./waiting.ts";

export interface ReportedLegion {
  readonly reader: Reader;
  /** How every agent stands. */
  readonly statuses: readonly AgentStatus[];
  /** How long a question waits for an answer. */
  readonly expireMs: number;
}

export interface ReportWish {
  /** In milliseconds since 1970; absent: all that is recorded. */
  readonly sinceMs?: number | undefined;
  readonly nowMs: number;
  /** How many lines a part has; Infinity: all of them. */
  readonly most: number;
}

/** Rejects where the logs of nobody can be read. */
export async function makeReport(legion: ReportedLegion, wish: ReportWish): Promise<Report> {
  const { sinceMs = -Infinity, nowMs, most } = wish;
  const { reader, statuses, expireMs } = legion;
  const own = await reader.digest(CONTROL);
  const standing: AgentStatus[] = [];
  const parts = {
    roots: createRoots(sinceMs),
    odd: createOdd(sinceMs),
    changed: createChanged(sinceMs, most),
  };
  const letters: ReportWaiting[] = [];
  let hasOlderLetters = false;
  const left: AgentId[] = [];
  let [charge, worked] = [NO_CHARGE, 0];
  await eachDigest(legion, own, parts, (agent, digest, status) => {
    letters.push(...lettersIn(agent, digest, own.incidents.resent));
    hasOlderLetters ||= digest.incidents.cut.has("dead");
    if (agent === CONTROL) return;
    const spans = digest.charges.spans.filter(
      ({ at, minutes }) => Date.parse(at) + minutes * 60_000 > sinceMs,
    );
    const sum = spans.map((span) => span.charge).reduce(addCharge, NO_CHARGE);
    charge = addCharge(charge, sum);
    worked += Number(sum.steps > 0);
    if (status) standing.push(status);
    if (status?.state === "stopped" && (!digest.conversation.isDone || status.unread > 0)) left.push(agent);
  });
  const asking = statuses.filter(({ waits }) => waits.some((wait) => wait.for === "answer"));
  const questions = await openQuestionsOf(
    asking.map(({ id }) => id),
    reader,
    expireMs,
  );
  const { asked, states } = await tellAsked(parts.roots, { reader, own, sinceMs, most });
  for (const knot of await recordedKnots(reader, statuses)) parts.odd.addKnot(knot);
  const odd = parts.odd.all();
  const withText = <T extends { readonly cause: string | null }>(one: T) => ({
    ...one,
    asked: one.cause === null ? null : parts.roots.openingOf(one.cause),
  });
  const [files, commands] = [await parts.changed.files(reader), parts.changed.commands()];
  return {
    ...{ since: sinceMs === -Infinity ? null : new Date(sinceMs).toISOString() },
    ...{
      until: new Date(nowMs).toISOString(),
      agents: statuses.length,
      worked,
      spent: spentBy(charge),
      states,
    },
    waiting: waitingOf({ questions, statuses: standing, left, letters, hasOlderLetters }, most),
    asked,
    odd: { items: odd.slice(0, most), total: odd.length, isMore: false },
    changed: { ...files, items: files.items.map(withText) },
    commands: { ...commands, items: commands.items.map(withText) },
  };
}

/** Why it stands still says its log, whatever a node knows of it now. */
function inItsWords(status: AgentStatus | undefined, { conversation }: Digest): AgentStatus | undefined {
  const { halt } = conversation;
  return status && halt ? { ...status, reason: halt.content } : status;
}

interface ReportParts {
  readonly roots: Roots;
  readonly odd: ReturnType<typeof createOdd>;
  readonly changed: ReturnType<typeof createChanged>;
}

/** So many digests are read while one is looked at: else everybody waits for the disk in between. */
const AHEAD = 4;

/** Of each log, the person's first. */
async function eachDigest(
  { reader, statuses }: ReportedLegion,
  own: Digest,
  { roots, odd, changed }: ReportParts,
  each: (agent: AgentId, digest: Digest, status: AgentStatus | undefined) => void,
): Promise<void> {
  const standing = new Map(statuses.map((status) => [status.id, status]));
  const read = (agent: AgentId): Promise<readonly [AgentId, Digest | undefined]> =>
    (agent === CONTROL ? Promise.resolve(own) : reader.digest(agent)).then(
      (digest) => [agent, digest],
      (error: unknown) => {
        odd.addUnread(agent, messageOf(error));
        return [agent, undefined];
      },
    );
  for await (const [agent, digest] of readAhead([CONTROL, ...(await reader.known())], AHEAD, read)) {
    if (!digest) continue;
    const status = inItsWords(standing.get(agent), digest);
    // The person's own log is opened by every command that writes.
    if (agent !== CONTROL) odd.add(agent, digest, status);
    roots.addDead(agent, digest, own.incidents.resent);
    if (agent !== CONTROL) {
      roots.add(agent, digest, status);
      changed.add(agent, digest, roots);
      if (status && status.unread > 0) {
        const mail = (await reader.unread(agent, digest.ledger)).map(({ message }) => message);
        roots.addUnread(status, mail);
        odd.addUntaken(agent, status.node === null ? mail : []);
      }
    }
    each(agent, digest, status);
  }
}
