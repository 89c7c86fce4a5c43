import { z } from "zod";
import { defineAction, defineModule, fail, ok } from "../src/domain/authoring/module.ts";
import type { Host, Peer } from "../src/domain/authoring/host.ts";

const CONTROL: Peer = { id: "0", name: "Control", description: "the person you work for", running: true };
const MAX_LISTED = 200;
/** More than any message keeps. */
const MAX_CITED = 1_000;

/** Mail between agents, and to the person. */
export const messaging = defineModule({
  name: "messaging",

  instructions: () =>
    "You are one of several agents. Control (agent id 0) is the person you all work for. Nobody sees what you do unless " +
    "you tell them: when someone asked you for something, send the result to them with `sendMessage`. It goes out at " +
    "once and you need not wait for it; what others send you is shown to you with the sender's name. Answer only when " +
    "the other needs your answer: thanks and confirmations cost both of you a step. Where a message says that it needs " +
    "an answer, name its id in `answers` when you answer it, or in `declines` when you will not.",

  actions: {
    sendMessage: defineAction({
      description: "Send a message to one agent, to several, to all others, or to Control",
      parameters: {
        // Models that write JSON often give an id as a number.
        targetAgentId: z
          .preprocess((id) => (typeof id === "number" ? String(id) : id), z.string())
          .describe("Agent id such as 2, several such as 2,3, or all; 0 is Control"),
        message: z
          .string()
          .refine((text) => text.trim() !== "", "a message has to say something")
          .describe("The message"),
        needsAnswer: z
          .boolean()
          .optional()
          .describe("true: you cannot go on without an answer; you may rest, and it wakes you"),
        answers: messageIds("Ids of messages that this one answers, such as 2>3#1"),
        declines: messageIds("Ids of messages that you will not answer; say why in the message"),
        // Whoever is to cite is told how; what is no receipt is judged as such.
        receipts: z.unknown().optional().meta({ told: "when needed" }),
      },
      effects: "none",
      async touches({ targetAgentId }, host) {
        const peers = await host.peers();
        const targets = readTargets(targetAgentId, peers);
        const ids = targets.includes("all") ? [...targets, ...peers.map(({ id }) => id)] : targets;
        return ids.map((to) => ({ kind: "send", to }));
      },
      async execute({ targetAgentId, message, receipts, needsAnswer, answers, declines }, host) {
        const peers = await host.peers();
        const targets = readTargets(targetAgentId, peers);
        if (targets.length === 0) return fail("Name at least one agent id, or all.");
        if (targets.includes(host.agent.id)) {
          return fail("You cannot send a message to yourself; to keep something for later use `writeNote`.");
        }
        const isToAll = targets.includes("all");
        if (isToAll && targets.length > 1)
          return fail("`all` stands alone: it is every agent but you and Control.");
        const receivers = isToAll
          ? peers.filter(({ id }) => id !== host.agent.id)
          : [CONTROL, ...peers].filter(({ id }) => targets.includes(id));
        if (isToAll && receivers.length === 0)
          return fail("There is no other agent. Control has the agent id 0.");
        const answering = { ...(needsAnswer && { needsAnswer }), answers, declines };
        const options = { ...answering, receipts: readCited(receipts) };
        const ids = await host.send(isToAll ? "all" : targets, message, options);
        return ok(confirm(receivers, needsAnswer ? ids : []));
      },
    }),

    queryAgentRegistry: defineAction({
      description: "List who there is: agent ids, names, what they are for, whether they are running",
      effects: "reads",
      touches: [],
      async execute(_, host) {
        const peers = await host.peers();
        const rest = peers.length - MAX_LISTED;
        return ok(
          [
            ...peers.slice(0, MAX_LISTED).map((peer) => describe(peer, host)),
            ...(rest > 0 ? [`(${rest} more)`] : []),
            `Control [agentId=0] ${CONTROL.description}`,
          ].join("\n"),
        );
      },
    }),
  },
});

/** Text has no lists: there a single one stands for itself, and several stand between commas. */
function messageIds(description: string) {
  const split = (given: unknown): unknown =>
    typeof given === "string" ? given.split(",").flatMap((id) => id.trim() || []) : given;
  return z.preprocess(split, z.array(z.string()).max(64).optional()).optional().describe(description);
}

/** Ids as they were given, without repeats; a name that the registry shows stands for its id. */
function readTargets(given: string, peers: readonly Peer[]): readonly string[] {
  const known = [CONTROL, ...peers];
  const ids = given.split(",").flatMap((part) => {
    const target = part.trim();
    const named = known.find(({ name }) => name.toLowerCase() === target.toLowerCase());
    return target === "" ? [] : [known.some(({ id }) => id === target) ? target : (named?.id ?? target)];
  });
  return [...new Set(ids)];
}

/** A list, or a text; models write numbers as well. */
function readCited(given: unknown): readonly string[] {
  if (given === undefined || given === null) return [];
  const each: readonly unknown[] = Array.isArray(given) ? given.slice(0, MAX_CITED) : [given];
  return each.map((one) => (typeof one === "string" ? one : (JSON.stringify(one) ?? "")));
}

/** @param asked ids of what needs an answer */
function confirm(receivers: readonly Peer[], asked: readonly string[]): string {
  const absent = receivers.filter(({ running }) => !running);
  const later = absent.length > 0 ? ` Not running now, so it waits for them: ${namesOf(absent)}.` : "";
  return `Message sent to ${namesOf(receivers)}.${later} ${nextStep(asked)}`;
}

function nextStep(asked: readonly string[]): string {
  if (asked.length === 0) return "Go on; you need not wait for an answer.";
  const which = asked.length > 10 ? "They all" : new Intl.ListFormat("en").format(asked);
  const [needs, it] = asked.length === 1 ? ["needs an answer", "it"] : ["need answers", "them"];
  return `${which} ${needs}. Do what you can without ${it}; then you may rest: an answer wakes you.`;
}

function namesOf(peers: readonly Peer[]): string {
  if (peers.length > 10) return `${peers.length} agents`;
  return new Intl.ListFormat("en").format(peers.map(({ name }) => name));
}

function describe({ id, name, description, running }: Peer, { agent }: Host): string {
  const line = `${name} [agentId=${id}] ${running ? "running" : "not running"}`;
  return `${line}${description && ` - ${description}`}${id === agent.id ? " (you)" : ""}`;
}
