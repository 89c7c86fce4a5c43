// What is said of one call, just before it runs: by the agent's policy, by those of the agents in whose name it acts, and by
// the program. Nothing is asked and nothing is committed here.

import { isIP } from "node:net";
import { resolve } from "node:path";
import { toTouch, unasked, type Leave } from "../parts/permits.ts";
import { isKnown } from "../../past/mail/known-addresses.ts";
import { realPathOf } from "../../base/files/real-path.ts";
import { fieldsOf } from "../../base/text/json.ts";
import type { Performer, SoundCall } from "../parts/agent.ts";
import type { ProgramVerdict } from "../parts/rulebook.ts";
import { displayName } from "../../domain/message/message.ts";
import type { Host } from "../../domain/authoring/host.ts";
import type { Effects } from "../../domain/authoring/module.ts";
import { judge, type Judgement, type Policy } from "../../domain/policy/policy.ts";
import { profileTable, type Circumstances } from "../../domain/policy/profile.ts";
import type { Touch } from "../../domain/policy/rule.ts";
import type { Touching } from "../../domain/policy/touching.ts";

/** What is said of a call. */
export interface CallJudgement extends Judgement {
  /** What it touches beside that, and beside the action itself. */
  readonly besides: readonly Touch[];
  /** All that it touches, beside the action itself. */
  readonly touched: readonly Touch[];
  /** Of what is asked, what an agent in whose name it comes may not touch: each time a person decides anew. */
  readonly forOthers: readonly Touch[];
  /** The person wants to be asked each time, whatever else is said. */
  readonly mode?: "confirm";
  /** What holds for what it comes upon as it runs. */
  readonly leave: Leave;
}

/** Judges `ready`. Rejects as its action does where that cannot say what it touches. */
export async function judgeCall(performer: Performer, ready: SoundCall, host: Host): Promise<CallJudgement> {
  const touches = await touchesOf(ready, host);
  const policies = await policiesFor(performer);
  const isListed = await isListedIn(performer, ready);
  const judged = await judgeTouches(performer, ready, { touches, isListed, ...policies });
  const judgement = isListed ? judged : watched(performer, ready, judged);
  const touched = touches.filter(({ kind }) => kind !== "action");
  const { own, others } = policies;
  // Where nothing has to be asked, no answer clears anything.
  const cleared = judgement.kind === "ask" ? judgement.touches : [];
  const leave = isUnasked(performer)
    ? { own: unasked(own), others: [], cleared }
    : { own, others: others.map(({ policy }) => policy), cleared };
  const besides = touched.filter((touch) => !judgement.touches.includes(touch));
  return { ...judgement, besides, touched, leave };
}

type Judged = Omit<CallJudgement, "besides" | "touched" | "leave">;

/** What is forbidden stays so; what changes nothing is none of what the person wants to see. */
function watched({ memory }: Performer, { action }: SoundCall, judgement: Judged): Judged {
  const { mode } = memory.conversation.run;
  const isSeen = (mode === "confirm" || mode === "held") && !HARMLESS.includes(action.effects);
  if (!isSeen || judgement.kind === "deny") return judgement;
  if (judgement.kind === "ask") return { ...judgement, mode: "confirm" };
  return { ...judgement, kind: "ask", touches: [], rule: `mode ${mode}`, mode: "confirm" };
}

/** Is it one of those that mode `confirm` leaves unasked? */
async function isListedIn(
  { memory, rulebook }: Performer,
  { name, parameters }: SoundCall,
): Promise<boolean> {
  if (memory.conversation.run.mode !== "confirm" || !rulebook.isListed) return false;
  return rulebook.isListed({ action: name, parameters });
}

const HARMLESS: readonly Effects[] = ["reads", "none"];

/** Does the person want done what would be asked? What they typed themselves is not asked either. */
export function isUnasked({ memory }: Pick<Performer, "memory">): boolean {
  const { mode, isTyped } = memory.conversation.run;
  return mode === "yolo" || isTyped;
}

interface SpeakingPolicies {
  readonly own: Policy;
  /** Those of the agents in whose name it acts. */
  readonly others: readonly { readonly name: string; readonly policy: Policy }[];
}

async function policiesFor({ rulebook, memory }: Performer): Promise<SpeakingPolicies> {
  const others = memory.conversation.authority.map(async (agent) => ({
    name: displayName(agent),
    policy: await rulebook.of(agent),
  }));
  return { own: rulebook.own, others: await Promise.all(others) };
}

interface JudgedCase extends SpeakingPolicies {
  readonly touches: readonly Touch[];
  readonly isListed: boolean;
}

async function judgeTouches(
  performer: Performer,
  ready: SoundCall,
  { touches, isListed, own: policy, others: policies }: JudgedCase,
): Promise<Judged> {
  const { rulebook, identity } = performer;
  const table = profileTable({ ...circumstancesOf(performer), isListed });
  const own = judge(policy, touches, table);
  if (own.kind === "deny") return { ...own, forOthers: [] };
  const others = policies.map(({ name, policy }) => ({ name, judgement: judge(policy, touches, table) }));
  const forOthers = others.flatMap(({ judgement }) => (judgement.kind === "deny" ? judgement.touches : []));
  const said = others.map(({ judgement, name }) => forOther(judgement, name));
  const { name: action, parameters } = ready;
  const call = { agent: identity.id, action, parameters, touches };
  const program = rulebook.program ? await rulebook.program(call) : "allow";
  const asking = [own, ...said, ...byProgram(program, touches)].filter(({ kind }) => kind !== "allow");
  const denied = asking.find(({ kind }) => kind === "deny");
  if (denied || asking.length === 0) return { ...(denied ?? own), forOthers };
  const asked = [...new Set(asking.flatMap((judgement) => judgement.touches))];
  return { kind: "ask", touches: asked, rule: asking.map(({ rule }) => rule).join("; "), forOthers };
}

/** What a program says that is none of its words is a no. */
function byProgram(said: ProgramVerdict | undefined, touches: readonly Touch[]): readonly Judgement[] {
  if (said === "allow") return [];
  const { deny, ask } = fieldsOf(said);
  if (typeof ask === "string" && deny === undefined) return [{ kind: "ask", touches, rule: ask }];
  const rule = typeof deny === "string" ? deny : 'the program, which did not say "allow"';
  return [{ kind: "deny", touches, rule }];
}

/** What only another agent may not do, a person may still allow this one. */
function forOther(judgement: Judgement, name: string): Judgement {
  if (judgement.kind === "allow") return judgement;
  return { ...judgement, kind: "ask", rule: `${judgement.rule} of ${name}, in whose name it comes` };
}

/** The setting of `system` that says what its agent may read beside its workspace. */
interface ReadableSetting {
  readonly readablePaths?: readonly string[];
}

function circumstancesOf({
  identity,
  memory,
  rulebook,
  workplace,
}: Performer): Omit<Circumstances, "isListed"> {
  const { taint, addresses } = memory.conversation;
  const { readablePaths = [] } = workplace.settings("system") as ReadableSetting;
  const { root, home } = workplace.workspace;
  return {
    workspace: root,
    // Its own long outputs lie elsewhere where its workspace is not the project.
    readable: [...readablePaths, resolve(root, home, "agents", identity.id, "blobs")],
    isSandboxed: rulebook.isSandboxed,
    isUnasked: rulebook.isSandboxed && rulebook.questions.inSandbox === "unasked",
    isTainted: taint.length > 0,
    isKnown: (host, url) => isKnown(addresses, host, url),
  };
}

/** The action itself, and all that it says that the call touches. */
async function touchesOf({ name, action, parameters }: SoundCall, host: Host): Promise<readonly Touch[]> {
  // Whoever writes a rule may know it by another name.
  const called = [name, ...action.aliases].map((known): Touch => ({ kind: "action", name: known }));
  if (action.touches === "undeclared")
    return [...called, { kind: "anything", call: `${name} ${JSON.stringify(parameters)}` }];
  const declared = await action.touches(parameters, host);
  return [
    ...called,
    ...(await Promise.all(
      declared.flatMap(onEachPort).map((touching) => resolved(toTouch(touching, host.workspace.root))),
    )),
  ];
}

/** A host without a port is let through on the two ports of the web. */
function onEachPort(touching: Touching): readonly Touching[] {
  if (touching.kind !== "net" || !("host" in touching)) return [touching];
  const { kind, host } = touching;
  const hasPort = isIP(host) === 0 && /:\d+$/.test(host);
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return hasPort ? [touching] : [80, 443].map((port) => ({ kind, host: `${name}:${port}` }));
}

async function resolved(touch: Touch): Promise<Touch> {
  return "asked" in touch ? { ...touch, real: await realPathOf(touch.asked) } : touch;
}
