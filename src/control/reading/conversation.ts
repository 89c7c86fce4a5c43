// Who talks to whom, and the newest of what they say, from the digests of all logs.

import { LegionError, messageOf } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import { CONTROL, parseMessageId, type AgentId } from "../../domain/message/message.ts";
import type { SentMail } from "../../past/digest/correspondence.ts";
import type { Digest } from "../../past/digest/digest.ts";
import { createFates, type MailFate } from "../../past/digest/fates.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { listIds } from "../api/orders.ts";
import type { ReadingAnswer } from "../api/readings.ts";

type ToldTraffic = ReadingAnswer<"conversation">;
type Pair = ToldTraffic["pairs"][number];

/** Of messages the newest, of pairs those that say most. */
const MOST_MESSAGES = 500;
const MOST_PAIRS = 5_000;

/**
 * @param of whose messages; those of everybody if absent. Rejects with USAGE for one that nobody knows
 */
export async function readConversation(
  reader: Pick<Reader, "known" | "digest">,
  of?: AgentId,
): Promise<ToldTraffic> {
  const { digests, unread } = await readDigests(reader);
  const heard = [...digests].filter(
    ([agent, { peers }]) => of === undefined || agent === of || peers.has(of),
  );
  if (of !== undefined && heard.length === 0)
    throw new LegionError("USAGE", `there is no agent ${quote(of)}; known: ${listIds([...digests.keys()])}`);
  const all = heard.flatMap(([agent, { correspondence }]) =>
    correspondence.sent.filter(isOf(of)).map((mail) => ({ agent, mail })),
  );
  const messages = all.sort((a, b) => newestFirst(a.mail, b.mail)).slice(0, MOST_MESSAGES);
  const fateOf = await readFates(
    reader,
    digests,
    messages.map(({ mail }) => mail),
  );
  const pairs = pairsIn(digests);
  // Of a log of which not all is kept, nothing may be missing after the oldest that is.
  const cuts = heard.flatMap(([, { correspondence }]) =>
    correspondence.isCut ? [correspondence.sent[0]!.at] : [],
  );
  if (all.length > messages.length) cuts.push(messages.at(-1)!.mail.at);
  return {
    pairs: pairs.slice(0, MOST_PAIRS),
    otherPairs: Math.max(0, pairs.length - MOST_PAIRS),
    messages: messages.map(({ agent, mail }) => mailRow(agent, mail, fateOf(mail))),
    since: cuts.length === 0 ? null : cuts.reduce((a, b) => (a > b ? a : b)),
    unread,
  };
}

function isOf(agent: AgentId | undefined): (mail: Pick<SentMail, "id">) => boolean {
  return ({ id }) => {
    const { from, to } = parseMessageId(id);
    return agent === undefined || from === agent || to === agent;
  };
}

export interface ReadDigests {
  /** Of the person and all agents, in their order. */
  readonly digests: ReadonlyMap<AgentId, Digest>;
  readonly unread: ToldTraffic["unread"];
}

export async function readDigests(reader: Pick<Reader, "known" | "digest">): Promise<ReadDigests> {
  const digests = new Map<AgentId, Digest>();
  const unread: ToldTraffic["unread"][number][] = [];
  for (const agent of [CONTROL, ...(await reader.known())])
    try {
      digests.set(agent, await reader.digest(agent));
    } catch (error) {
      unread.push({ agent, why: messageOf(error) });
    }
  return { digests, unread };
}

/** What became of `mail`: also of that to those who are not known, where only a part of the legion is told. */
export async function readFates(
  reader: Pick<Reader, "digest">,
  digests: ReadDigests["digests"],
  mail: readonly Pick<SentMail, "id">[],
): Promise<ReturnType<typeof createFates>> {
  const all = new Map(digests);
  for (const to of new Set(mail.map(({ id }) => parseMessageId(id).to))) {
    if (all.has(to)) continue;
    const digest = await reader.digest(to).catch(() => undefined);
    if (digest) all.set(to, digest);
  }
  return createFates(all);
}

/** @param agent whose log has the text of it, at its `seq` */
export function mailRow(
  agent: AgentId,
  mail: SentMail,
  { state, why }: MailFate,
): ToldTraffic["messages"][number] {
  const { id, at, root, lane, opening, chars, seq, spontaneous = false } = mail;
  const { from, to } = parseMessageId(id);
  return {
    ...{ id, from, to, at, root, lane, spontaneous, state, why: why ?? null },
    ...{ opening, chars, event: { agent, seq } },
  };
}

export function newestFirst(a: SentMail, b: SentMail): number {
  return a.at < b.at ? 1 : a.at > b.at ? -1 : b.seq - a.seq;
}

/** What one log does not tell, because it is gone, the other one may. */
function pairsIn(digests: ReadDigests["digests"]): readonly Pair[] {
  const pairs = new Map<string, Pair>();
  const add = (
    from: AgentId,
    to: AgentId,
    { newest, ...counts }: Partial<Pair> & Pick<Pair, "newest">,
  ): void => {
    const key = `${from}>${to}`;
    const before = pairs.get(key) ?? { from, to, sent: 0, taken: 0, newest };
    pairs.set(key, { ...before, ...counts, newest: newest > before.newest ? newest : before.newest });
  };
  for (const [agent, { peers }] of digests)
    for (const [peer, { sent, sentAt, taken, takenAt }] of peers) {
      if (sent > 0) add(agent, peer, { sent, newest: sentAt });
      if (taken > 0) add(peer, agent, { taken, newest: takenAt });
    }
  return [...pairs.values()].sort((a, b) => trafficOf(b) - trafficOf(a) || (a.newest < b.newest ? 1 : -1));
}

function trafficOf({ sent, taken }: Pair): number {
  return Math.max(sent, taken);
}
