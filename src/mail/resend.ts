// A person has a dead letter sent again: as a new message from its sender, which begins a chain of its own.

import { writeLetter, type Letter, type PostalService } from "./compose.ts";
import { deadLettersIn, parseDeadLetterId, resentIn, type DeadLetter } from "../past/mail/dead-letters.ts";
import { LegionError } from "../base/errors.ts";
import { writtenBy } from "../domain/message/authority.ts";
import { CONTROL, isFromControl, type AgentId } from "../domain/message/message.ts";
import { markOf } from "../domain/message/taint.ts";
import { sendNotice, type LetterWriter, type LetterWriting } from "./log-access.ts";
import type { NoticeEvent } from "../domain/event/notice.ts";

export interface PostOffice extends PostalService {
  readonly control: LetterWriter;
  /** `undefined` for an unknown agent. */
  writerFor(agent: AgentId): LetterWriter | undefined;
}

/**
 * Sends the dead letter `id` again. Returns the ids of the new messages once each was offered to its mailbox. Throws
 * REFUSED if there is no such dead letter, it was sent again before, or it cannot be delivered still.
 */
export async function resend(id: string, office: PostOffice): Promise<readonly string[]> {
  const address = parseDeadLetterId(id);
  if (!address) throw noSuchLetter(id);
  const { agent, seq } = address;
  const writer = agent === CONTROL ? office.control : office.writerFor(agent);
  if (!writer) throw noSuchLetter(id);
  const find = (memory: LetterWriting["memory"]) => findUnsent(id, memory, seq);
  const found = await writer.alone(({ memory }) => find(memory));
  if (agent !== CONTROL && isWithdrawn(found.message))
    return sendNotice(office.control, async (memory) => {
      if ((await resentIn(memory.read())).has(id)) throw sentAgain(id);
      return resending(found, memory, office);
    });
  return sendNotice(writer, async (memory) => resending(await find(memory), memory, office));
}

/** It was said by Control, and is kept where it would have been read. */
function isWithdrawn(message: DeadLetter["message"]): boolean {
  return "id" in message && isFromControl(message);
}

async function findUnsent(
  id: string,
  { agent, read }: LetterWriting["memory"],
  seq: number,
): Promise<DeadLetter> {
  const letters = await deadLettersIn(agent, read(seq));
  const dead = letters.find((letter) => letter.id === id);
  if (!dead) throw noSuchLetter(id);
  if (dead.isResent) throw sentAgain(id);
  return dead;
}

async function resending(
  dead: DeadLetter,
  memory: LetterWriting["memory"],
  post: PostalService,
): Promise<NoticeEvent> {
  const letter = letterOf(dead, memory.agent);
  const { sends, refusal } = await writeLetter(memory, letter, post);
  if (refusal)
    throw new LegionError("REFUSED", `${dead.id} stays a dead letter. ${refusal.notice.details.why}`);
  return { kind: "notice", reason: "resent", content: letter.content, sends, details: { dead: dead.id } };
}

function sentAgain(id: string): LegionError {
  return new LegionError("REFUSED", `${id} was sent again already.`);
}

function noSuchLetter(id: string): LegionError {
  return new LegionError("REFUSED", `There is no dead letter ${JSON.stringify(id)}.`);
}

function letterOf({ id, message, to }: DeadLetter, from: AgentId): Letter {
  const { content, delivery, details, source, authority, taint } = message;
  const { needsAnswer, answers, declines } = message;
  const isOfAgent = from !== CONTROL && source.type === "agent";
  const before = typeof details === "object" && details !== null ? details : {};
  return {
    from,
    to,
    content,
    delivery,
    ...{ needsAnswer, answers, declines },
    spontaneous: source.type === "user" ? true : undefined,
    chain: "new",
    marks: { authority: isOfAgent ? writtenBy(from, authority) : undefined, taint: markOf(taint) },
    details: { ...before, dead: id, resent: "by Control" },
  };
}
