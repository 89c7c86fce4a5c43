import { expect, it } from "vitest";
import { chromePieces } from "../../../src/past/spans/chrome.ts";
import { decision, mail, opened, prompted, result, tell } from "./story.ts";

const work = [prompted(), decision(["a"]), result("a", "error"), prompted(), decision([])];

async function written(logs: Parameters<typeof tell>[0]) {
  const each = async function* () {
    for (const { spans } of Object.values(tell(logs))) yield* spans;
  };
  let text = "";
  for await (const piece of chromePieces(each())) text += piece;
  return JSON.parse(text) as { readonly traceEvents: readonly Readonly<Record<string, unknown>>[] };
}

it("has a track for each agent, by its name, and on it what it did in microseconds", async () => {
  const { traceEvents } = await written({
    1: [opened(), mail("0>1#1"), ...work],
    writer: [opened("log of writer"), mail("0>writer#1"), ...work],
  });
  expect(traceEvents.filter(({ ph }) => ph === "M")).toMatchObject([
    { name: "thread_name", pid: 1, tid: 1, args: { name: "Agent 1" } },
    { name: "thread_name", pid: 1, tid: 2, args: { name: "writer" } },
  ]);
  const events = traceEvents.filter(({ ph }) => ph === "X");
  expect(events).toHaveLength(8);
  expect(events[1]).toMatchObject({
    ...{ name: "execute_tool do-a", cat: "execute_tool", pid: 1, tid: 1, ts: 4_000_000, dur: 1_000_000 },
    args: {
      "gen_ai.tool.name": "do-a",
      "error.type": "tool_error",
      parent: expect.stringMatching(/^[0-9a-f]{16}$/),
    },
  });
  expect(events[7]).toMatchObject({ name: "invoke_agent writer", tid: 2, ts: 2_000_000, dur: 5_000_000 });
});

it("is a whole file also where nothing was done", async () => {
  expect((await written({})).traceEvents).toEqual([]);
});
