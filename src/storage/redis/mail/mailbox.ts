// The mailbox of one agent that this process reads: a stream in Redis. No read waits there for mail, and no timer asks for
// it: whoever delivers says on a channel which position the newest message has and, while little waits, what it is. What
// was not said, or not heard, is read; and no commit takes in what the mailbox does not hold.

import { LegionError, messageOf } from "../../../base/errors.ts";
import { isMessageId, type AgentId, type Message } from "../../../domain/message/message.ts";
import { agentKeys } from "../scripts/keys.ts";
import { hearMail, parseWake, type Wake } from "../scripts/mail.ts";
import { readEntry, readPages, type Entry } from "../scripts/pages.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import type { Inbox, Mail } from "../../../mail/bus.ts";
import type { Ear } from "./ear.ts";
import { createFront, type Front } from "../../../mail/window.ts";

export interface RedisMailbox {
  readonly inbox: Inbox;
  readonly front: Pick<Front, "arrived" | "learn">;
}

export interface RedisMailboxOptions extends RedisPlace {
  /** Where words of it are heard, and what shows that they may be; absent: on its wake channel, as anybody may. */
  readonly own?: { readonly ear: Ear; readonly token: string } | undefined;
  /** Told that mail waits which could not be read. */
  readonly onFailure: (error: unknown) => void;
  readonly onClose: () => void;
}

/** Resolves once what waits was read, as far as it has to be in memory. */
export async function openRedisMailbox(options: RedisMailboxOptions): Promise<RedisMailbox> {
  const { link, legion, agent, own, onFailure, onClose } = options;
  const keys = agentKeys(legion, agent);
  const front = createFront({
    read: (position) => readMail(options, position),
    readAhead: (position) => readAhead(options, position),
    onFailure,
  });
  /** What was said on the channel may not have been heard. */
  const ask = async (): Promise<void> => {
    const reply = own
      ? await hearMail(options, { token: own.token, channel: own.ear.channel })
      : ((await link.command("HMGET", keys.meta, "mail", "abort", "taken")) as readonly (string | null)[]);
    const [newest, abort, taken] = reply.map(Number);
    front.learn({ newest: newest!, abort: abort!, control: newest!, taken: taken! });
    await front.settled();
  };
  // Listen first: what is delivered from now on is heard, what was before is read.
  const heard = (wake: Wake | undefined): void => {
    if (wake) hear(front, wake, agent);
  };
  const ignore = await (own
    ? own.ear.listen(keys.wake, heard)
    : link.listen(keys.wake, (text) => heard(parseWake(text))));
  const forget = link.onReturn(() => void ask().catch(onFailure));
  const stop = (): void => {
    ignore();
    forget();
  };
  await ask().catch((error: unknown) => {
    stop();
    throw error;
  });
  let isClosed = false;
  const inbox: Inbox = {
    get unread() {
      return front.unread;
    },
    peek: front.peek,
    // Its reader's commit has removed it from the stream.
    taken: front.taken,
    wait: front.wait,
    interrupt: front.interrupt,
    ahead: front.ahead,
    heard: front.heard,
    async close() {
      if (isClosed) return;
      isClosed = true;
      stop();
      onClose();
    },
  };
  return { inbox, front };
}

function hear(front: Front, { told, ...reach }: Wake, agent: AgentId): void {
  const before = reach.newest - told.length;
  try {
    for (const [index, { from, message }] of told.entries()) {
      const position = before + index + 1;
      front.arrived(position, () => parseMail({ position, from, message }, agent));
    }
  } catch {
    // What is in the mailbox counts: it is read now.
  }
  front.learn(reach);
}

/** Mail in the mailbox of an agent whose log has taken it in up to position `taken`, oldest first. */
export async function readRedisMail(place: RedisPlace, taken: number): Promise<readonly Mail[]> {
  const mail: Mail[] = [];
  for await (const page of readMail(place, taken + 1)) mail.push(...page);
  return mail;
}

async function* readMail(
  { link, legion, agent }: RedisPlace,
  position: number,
): AsyncGenerator<readonly Mail[]> {
  for await (const page of readPages(link, agentKeys(legion, agent).mailbox, position))
    yield page.map((entry) => toMail(entry, agent));
}

/** Control's mail from `position` on, one by one: nobody else's is read. */
async function* readAhead(place: RedisPlace, position: number): AsyncGenerator<Mail> {
  const { link, legion, agent } = place;
  const { mailbox, ahead } = agentKeys(legion, agent);
  const positions = (await link.command("ZRANGEBYSCORE", ahead, position, "+inf")) as readonly string[];
  for (const found of positions)
    for (const entry of await readEntry(link, mailbox, Number(found))) yield toMail(entry, agent);
}

function toMail({ number, fields }: Entry, agent: AgentId): Mail {
  return parseMail({ position: number, from: fields.get("f")!, message: fields.get("m")! }, agent);
}

/** Throws DAMAGED if it is not what was delivered. */
function parseMail(
  { position, from, message }: { position: number; from: string; message: string },
  agent: AgentId,
): Mail {
  try {
    const parsed = JSON.parse(message) as Message | null;
    if (!isMessageId(parsed?.id) || typeof parsed.content !== "string") throw new Error("it is no message");
    return { position, from, message: parsed };
  } catch (error) {
    const problem = `message ${position} in the mailbox of agent ${agent} is not what was delivered: ${messageOf(error)}`;
    throw new LegionError("DAMAGED", problem, { cause: error });
  }
}
