// A person has a dead letter sent again: as a new message from its sender, which begins a chain of its own.

import { writeLetter, type Letter, type PostalService } from "./compose.ts";
import { deadLettersIn, parseDeadLetterId, type DeadLetter } from "../past/dead-letters.ts";
import { LegionError } from "../base/errors.ts";
import { writtenBy } from "../domain/message/authority.ts";
import { CONTROL, type AgentId } from "../domain/message/message.ts";
import { markOf } from "../domain/message/taint.ts";
import { sendNotice, type LetterWriter } from "./log-access.ts";

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
  return sendNotice(writer, async (memory) => {
    const letters = await deadLettersIn(agent, memory.read(seq));
    const dead = letters.find((letter) => letter.id === id);
    if (!dead) throw noSuchLetter(id);
    if (dead.isResent) throw new LegionError("REFUSED", `${id} was sent again already.`);
    const letter = letterOf(dead, agent);
    const { sends, refusal } = await writeLetter(memory, letter, office);
    if (refusal) throw new LegionError("REFUSED", `${id} stays a dead letter. ${refusal.notice.details.why}`);
    return { kind: "notice", reason: "resent", content: letter.content, sends, details: { dead: id } };
  });
}

function noSuchLetter(id: string): LegionError {
  return new LegionError("REFUSED", `There is no dead letter ${JSON.stringify(id)}.`);
}

function letterOf({ id, message, to }: DeadLetter, from: AgentId): Letter {
  const { content, delivery, details, source, authority, taint } = message;
  const isOfAgent = from !== CONTROL && source.type === "agent";
  const before = typeof details === "object" && details !== null ? details : {};
  return {
    from,
    to,
    content,
    delivery,
    spontaneous: source.type === "user" ? true : undefined,
    chain: "new",
    marks: { authority: isOfAgent ? writtenBy(from, authority) : undefined, taint: markOf(taint) },
    details: { ...before, dead: id, resent: "by Control" },
  };
}
