import { describeDifference } from "../../legion/replay/difference.ts";
import { LegionError } from "../../base/errors.ts";
import { displayName } from "../../domain/message.ts";
import type { Replayed } from "../../legion/replay/replay-agent.ts";
import type { Tape } from "../../legion/replay/recording.ts";
import { remarkForeign } from "../consent/adoption.ts";
import { createAdmission } from "../consent/ask-trust.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { print, printJson, readNumber } from "../kit/output.ts";
import {
  checkAgent,
  addJsonOption,
  addLegionOptions,
  addCodeTrustOption,
  withSite,
  type Site,
} from "../kit/target.ts";
import { count } from "../../base/wording.ts";

const PROGRESS_MS = 2_000;

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("<id>", "the agent")
      .option("--to <number>", "end with this event, on whatever branch it is");
    addCodeTrustOption(addJsonOption(addLegionOptions(parser)));
  },
  async run(typed, io) {
    const to = readNumber(typed, "to");
    const order = { typed, to };
    // With other settings it would be another prompt, and no word about the code of today.
    const { tape, replayed } = await withSite(typed, io, (site) => replayAt(site, io, order), "refuse");
    if (typed.options["json"]) printJson(io, { agent: tape.agent, ...replayed });
    else print(io, verdictOf(tape, replayed));
    return replayed.difference ? 1 : 0;
  },
};

interface TypedReplay {
  readonly typed: Typed;
  readonly to: number | undefined;
}

async function replayAt(site: Site, io: Io, order: TypedReplay): Promise<{ tape: Tape; replayed: Replayed }> {
  const { typed, to } = order;
  const id = await checkAgent(site, typed.args[0]!);
  await remarkForeign(site.reader, id, io);
  const { readTape } = await import("../../legion/replay/recording.ts");
  const { replayAgent } = await import("../../legion/replay/replay-agent.ts");
  const { describeRecorded } = await import("../../model/scripted/recorded.ts");
  const { castToday } = await import("./prompt/definition-today.ts");
  const tape = await readTape(site.reader, id, to);
  const last = tape.events.at(-1)?.event.seq ?? 0;
  if (to !== undefined && to > last) {
    throw new LegionError("USAGE", `there is no event ${to}: the log of ${displayName(id)} ends at ${last}`);
  }
  const today = { env: io.env, admit: createAdmission(site.project, typed, io) };
  const { planFor, settings } = await castToday(site, id, today, ({ models }) => {
    return (_, name) => describeRecorded(name, models);
  });
  const onDecision = createProgress(tape, io);
  return { tape, replayed: await replayAgent({ ...site, tape, planFor, settings, onDecision }) };
}

function verdictOf({ agent }: Tape, { decisions, difference }: Replayed): string {
  if (difference) return describeDifference(difference);
  return `${displayName(agent)}: ${count(decisions, "decision")}, identical.`;
}

/** Says now and then how far a long replay has come. */
function createProgress({ agent, decisions: all }: Tape, { stderr }: Io): (decisions: number) => void {
  let toldMs = performance.now();
  return (decisions) => {
    if (performance.now() - toldMs < PROGRESS_MS) return;
    toldMs = performance.now();
    stderr.write(`${displayName(agent)}: ${decisions} of ${all} decisions are identical so far\n`);
  };
}
