// A self-driving loop of the OpenAI Agents SDK, given to Node as text where its packages are: without a session, nothing traced.

const steps = Number(process.argv[1]);
/** @param {string} name */
const load = (name) => import(name);
const { Agent, Runner, tool, Usage, setTracingDisabled } = await load("@openai/agents");
const { z } = await load("zod");
setTracingDisabled(true);

let asked = 0;
let started = 0;
const model = {
  async getResponse() {
    const n = asked++;
    started ||= performance.now();
    const output =
      n < steps
        ? {
            ...{ type: "function_call", callId: `call-${n}`, name: "touch", status: "completed" },
            arguments: `{"n":"${n}"}`,
          }
        : {
            ...{ type: "message", role: "assistant", status: "completed" },
            content: [{ type: "output_text", text: "Done." }],
          };
    return { usage: new Usage({ inputTokens: 100, outputTokens: 10, totalTokens: 110 }), output: [output] };
  },
  getStreamedResponse() {
    throw new Error("Nobody asked for a stream.");
  },
};
const touch = tool({
  name: "touch",
  description: "Touch something",
  parameters: z.object({ n: z.string() }),
  execute: async (/** @type {{ n: string }} */ { n }) => `touched ${n}`,
});
const agent = new Agent({ name: "bench", instructions: "Touch things.", model, tools: [touch] });
await new Runner({ tracingDisabled: true }).run(agent, "go", { maxTurns: steps + 10 });
console.log(JSON.stringify({ asked, us: ((performance.now() - started) * 1_000) / steps }));
process.exit(0);
