import { describeDifference } from "../../legion/replay/difference.ts";
import { displayName } from "../../domain/message/message.ts";
import type { Replayed } from "../../legion/replay/replay-agent.ts";
import type { Tape } from "../../legion/replay/recording.ts";
import { remarkForeign } from "../consent/adoption.ts";
import { createAdmission } from "../consent/ask-trust.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { print, printJson, readNumber } from "../kit/output.ts";
import { createProgress } from "../kit/progress.ts";
import {
  checkAgent,
  addJsonOption,
  addLegionOptions,
  addCodeTrustOption,
  withSite,
  type Site,
} from "../kit/target.ts";
import { count } from "../../base/text/wording.ts";

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("<id>", "the agent")
      .option("--to <number>", "end with this event, on whatever branch it is");
    addCodeTrustOption(addJsonOption(addLegionOptions(parser)));
  },
  async run(typed, io) {
    // With other settings it would be another prompt, and no word about the code of today.
    const { tape, replayed } = await withSite(typed, io, (site) => replayAt(site, typed, io), "refuse");
    if (typed.options["json"]) printJson(io, { agent: tape.agent, ...replayed });
    else print(io, verdictOf(tape, replayed));
    return replayed.difference ? 1 : 0;
  },
};

async function replayAt(site: Site, typed: Typed, io: Io): Promise<{ tape: Tape; replayed: Replayed }> {
  const to = readNumber(typed, "to");
  const id = await checkAgent(site, typed.args[0]!);
  await remarkForeign(site.reader, id, io);
  const { replayToday } = await import("../../legion/replay/replay-today.ts");
  const today = { env: io.env, admit: createAdmission(site.project, typed, io) };
  const progress = createProgress(io);
  const onDecision = (decisions: number, all: number): void =>
    progress.show(`${decisions} of ${all} decisions are identical so far`);
  return replayToday(site, { agent: id, to, onDecision }, today).finally(() => progress.clear());
}

function verdictOf({ agent }: Tape, { decisions, difference }: Replayed): string {
  if (difference) return describeDifference(difference);
  return `${displayName(agent)}: ${count(decisions, "decision")}, identical.`;
}
