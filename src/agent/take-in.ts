// Mailbox -> log, and what was held -> view: before a decision, and nothing that a question waits with is passed over.

import { displayName, MAIL_SHARE, type Message } from "../domain/message/message.ts";
import { count } from "../base/text/wording.ts";
import { planIntake } from "../mail/intake.ts";
import { nextFollowUp } from "../past/conversation.ts";
import { tellOfVoid } from "./act/question.ts";
import type { Agent } from "./parts/agent.ts";

/** Takes in and releases what the model can read at once (A2); where it would rest all the same, its oldest follow-up (A5). */
export async function takeIn(agent: Agent): Promise<void> {
  const { inbox, memory, model } = agent;
  const { events, mail, withdrawn } = planIntake(
    memory.conversation,
    inbox.peek,
    model.profile.window / MAIL_SHARE,
  );
  tellOfVoid(agent, mail);
  if (events.length > 0) await memory.commit(...events);
  const newest = mail.at(-1);
  if (newest) inbox.taken(newest.position);
  if (withdrawn.length > 0) tellOfWithdrawn(agent, withdrawn);
  const followUp = inbox.unread === 0 ? nextFollowUp(memory.conversation) : undefined;
  if (followUp !== undefined) await memory.commit({ kind: "released", messages: [followUp] });
}

function tellOfWithdrawn({ memory, shared }: Agent, withdrawn: readonly Message[]): void {
  const whose = displayName(memory.agent);
  const content =
    `${count(withdrawn.length, "follow-up")} to ${whose} will not be read: your new instructions came first. ` +
    "`legion inbox --dead` shows what they said.";
  shared.tellControl(memory.agent, `withdrawn ${withdrawn[0]!.id}`, content);
}
