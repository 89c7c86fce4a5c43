// A self-driving loop of LangGraph.js, given to Node as text where its packages are: its agent, and the saver that keeps its past in
// memory.

const steps = Number(process.argv[1]);
/** @param {string} name */
const load = (name) => import(name);
const { createReactAgent } = await load("@langchain/langgraph/prebuilt");
const { MemorySaver } = await load("@langchain/langgraph");
const { BaseChatModel } = await load("@langchain/core/language_models/chat_models");
const { AIMessage } = await load("@langchain/core/messages");
const { tool } = await load("@langchain/core/tools");
const { z } = await load("zod");

let asked = 0;
let started = 0;
/** What it makes asks for these while it is made. */
function Fake() {}
Fake.prototype = Object.assign(Object.create(BaseChatModel.prototype), {
  _llmType: () => "fake",
  bindTools: () => llm,
  async _generate() {
    const n = asked++;
    started ||= performance.now();
    const call = { id: `call-${n}`, name: "touch", args: { n: String(n) }, type: "tool_call" };
    const message = n < steps ? new AIMessage({ content: "", tool_calls: [call] }) : new AIMessage("Done.");
    return { generations: [{ text: "", message }] };
  },
});
/** @type {any} */
const llm = Reflect.construct(BaseChatModel, [{}], Fake);
const touch = tool(async (/** @type {{ n: string }} */ { n }) => `touched ${n}`, {
  name: "touch",
  description: "Touch something",
  schema: z.object({ n: z.string() }),
});
const agent = createReactAgent({
  llm,
  tools: [touch],
  ...(process.argv[2] === "saver" && { checkpointer: new MemorySaver() }),
});
await agent.invoke(
  { messages: [{ role: "user", content: "go" }] },
  { recursionLimit: 4 * steps + 10, configurable: { thread_id: "1" } },
);
console.log(JSON.stringify({ asked, us: ((performance.now() - started) * 1_000) / steps }));
process.exit(0);
