// A self-driving loop of pi-agent-core, given to Node as text where its packages are: without its session log.

const steps = Number(process.argv[1]);
/** @param {string} name */
const load = (name) => import(name);
const { runAgentLoop } = await load("@mariozechner/pi-agent-core");
const { createAssistantMessageEventStream, AssistantMessageEventStream } = await load("@mariozechner/pi-ai");
const { Type } = await load("typebox");

const usage = {
  ...{ input: 100, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 110 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
let asked = 0;
let started = 0;
const answer = () => {
  const n = asked++;
  started ||= performance.now();
  const isLast = n >= steps;
  const content = isLast
    ? [{ type: "text", text: "Done." }]
    : [{ type: "toolCall", id: `call-${n}`, name: "touch", arguments: { n: String(n) } }];
  const stopReason = isLast ? "stop" : "toolUse";
  const message = {
    ...{ role: "assistant", content, api: "fake", provider: "fake", model: "fake", usage, stopReason },
    timestamp: Date.now(),
  };
  const stream = createAssistantMessageEventStream?.() ?? new AssistantMessageEventStream();
  stream.push({ type: "start", partial: message });
  stream.push({ type: "done", reason: stopReason, message });
  return stream;
};
const touch = {
  ...{ name: "touch", label: "touch", description: "Touch something" },
  parameters: Type.Object({ n: Type.String() }),
  execute: async (/** @type {string} */ _, /** @type {{ n: string }} */ { n }) => ({
    content: [{ type: "text", text: `touched ${n}` }],
    details: {},
  }),
};
await runAgentLoop(
  [{ role: "user", content: "go", timestamp: Date.now() }],
  { systemPrompt: "Touch things.", messages: [], tools: [touch] },
  {
    model: { id: "fake", api: "fake", provider: "fake" },
    convertToLlm: (/** @type {unknown} */ messages) => messages,
  },
  () => undefined,
  undefined,
  answer,
);
console.log(JSON.stringify({ asked, us: ((performance.now() - started) * 1_000) / steps }));
process.exit(0);
