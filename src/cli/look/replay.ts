import { describeDifference } from "../../legion/replay/difference.ts";
import { createRedactor } from "../../base/redaction/redactor.ts";
import { LegionError } from "../../base/errors.ts";
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
  const { readTape } = await import("../../legion/replay/recording.ts");
  const { replayAgent } = await import("../../legion/replay/replay-agent.ts");
  const { describeRecorded } = await import("../../model/scripted/recorded.ts");
  const { castToday } = await import("../../legion/prompt/definition-today.ts");
  const tape = await readTape(site.reader, id, to);
  const last = tape.events.at(-1)?.event.seq ?? 0;
  if (to !== undefined && to > last) {
    throw new LegionError("USAGE", `there is no event ${to}: the log of ${displayName(id)} ends at ${last}`);
  }
  const today = { env: io.env, admit: createAdmission(site.project, typed, io) };
  const { planFor, settings } = await castToday(site, id, today, ({ models }) => {
    return (_, name) => describeRecorded(name, models);
  });
  const redactor = createRedactor(site.config.secrets());
  const progress = createProgress(io);
  const onDecision = (decisions: number): void =>
    progress.show(`${decisions} of ${tape.decisions} decisions are identical so far`);
  const replaying = replayAgent({ ...site, tape, planFor, settings, redactor, onDecision });
  return { tape, replayed: await replaying.finally(() => progress.clear()) };
}

function verdictOf({ agent }: Tape, { decisions, difference }: Replayed): string {
  if (difference) return describeDifference(difference);
  return `${displayName(agent)}: ${count(decisions, "decision")}, identical.`;
}
