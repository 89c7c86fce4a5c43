import { deadLettersIn, parseDeadLetterId, type DeadLetter } from "../../past/mail/dead-letters.ts";
import { LegionError } from "../../base/errors.ts";
import {
  CONTROL,
  isAgentId,
  isMessageId,
  parseMessageId,
  type AgentId,
} from "../../domain/message/message.ts";
import { withLegion } from "../../control/open.ts";
import type { CliCommand } from "../kit/command.ts";
import { oneLine, print } from "../kit/output.ts";
import { aboutRun, addLegionOptions, withSite, type Site } from "../kit/target.ts";

export const command: CliCommand = {
  define(parser) {
    parser.argument(
      "<id...>",
      "as `legion inbox --dead` shows it, such as 2@57; or the message's, such as '2>3#5'",
    );
    addLegionOptions(parser);
  },
  async run({ args, ...typed }, io) {
    const resent = await withSite({ args, ...typed }, io, async (site) => {
      const dead = new Set<string>();
      for (const name of args) dead.add(await findDead(site, name!));
      return withLegion(site, (legion) => legion.resend([...dead]));
    });
    for (const letter of resent) {
      if (letter.outcome === "done") for (const id of letter.sends) io.stdout.write(`${id}\n`);
      if (letter.outcome === "soon") print(io, `${letter.id}: sent as soon as the step that runs is done.`);
      if (letter.outcome === "refused") io.stderr.write(`legion: ${oneLine(letter.reason)}\n`);
    }
    return resent.some(({ outcome }) => outcome === "refused") ? 1 : 0;
  },
};

/** The dead letter that a person means. Throws USAGE if there is none. */
async function findDead(site: Site, name: string): Promise<string> {
  const letters: DeadLetter[] = [];
  for (const agent of keepersIn(name))
    letters.push(...(await deadLettersIn(agent, site.reader.events(agent))));
  const meant = letters.filter(({ id, message }) => id === name || ("id" in message && message.id === name));
  // A log that began again gave the same numbers again.
  const dead = meant.findLast(({ isResent }) => !isResent) ?? meant.at(-1);
  if (dead) return dead.id;
  throw new LegionError(
    "USAGE",
    `there is no dead letter ${JSON.stringify(name)}; ${aboutRun("`legion inbox --dead` lists them", site)}`,
  );
}

/** In whose logs it may be; nobody's if it is no name of a dead letter or message. What was withdrawn is in its reader's. */
function keepersIn(name: string): readonly AgentId[] {
  const { from, to } = isMessageId(name)
    ? parseMessageId(name)
    : { from: parseDeadLetterId(name)?.agent, to: "" };
  return [from ?? "", to].filter((id) => id === CONTROL || isAgentId(id));
}
