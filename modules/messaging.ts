import { z } from "zod";
import { defineAction, defineModule, fail, ok } from "../src/domain/authoring/module.ts";
import type { Host, Peer } from "../src/domain/authoring/host.ts";

const CONTROL: Peer = { id: "0", name: "Control", description: "the person you work for", running: true };
const MAX_LISTED = 200;

/** Mail between agents, and to the person. */
export const messaging = defineModule({
  name: "messaging",

  instructions: () =>
    "You are one of several agents. Control (agent id 0) is the person you all work for. Nobody sees what you do unless " +
    "you tell them: when someone asked you for something, send the result to them with `sendMessage`. It goes out at " +
    "once and you need not wait for it; what others send you is shown to you with the sender's name. Answer only when " +
    "the other needs your answer: thanks and confirmations cost both of you a step.",

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
      },
      effects: "none",
      async touches({ targetAgentId }, host) {
        const peers = await host.peers();
        const targets = readTargets(targetAgentId, peers);
        const ids = targets.includes("all") ? [...targets, ...peers.map(({ id }) => id)] : targets;
        return ids.map((to) => ({ kind: "send", to }));
      },
      async execute({ targetAgentId, message }, host) {
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
        await host.send(isToAll ? "all" : targets, message);
        return ok(confirm(receivers));
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

function confirm(receivers: readonly Peer[]): string {
  const absent = receivers.filter(({ running }) => !running);
  const later = absent.length > 0 ? ` Not running now, so it waits for them: ${namesOf(absent)}.` : "";
  return `Message sent to ${namesOf(receivers)}.${later} Go on; you need not wait for an answer.`;
}

function namesOf(peers: readonly Peer[]): string {
  if (peers.length > 10) return `${peers.length} agents`;
  return new Intl.ListFormat("en").format(peers.map(({ name }) => name));
}

function describe({ id, name, description, running }: Peer, { agent }: Host): string {
  const line = `${name} [agentId=${id}] ${running ? "running" : "not running"}`;
  return `${line}${description && ` - ${description}`}${id === agent.id ? " (you)" : ""}`;
}
