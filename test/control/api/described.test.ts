// A running node, as programs of others find it: every route of the described document, on the control socket and on the port of the
// page, as it answers and as it refuses.

import { request } from "node:http";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, it } from "vitest";
import { READINGS } from "../../../src/control/api/readings.ts";
import { ROUTES } from "../../../src/control/api/routes.ts";
import { buildProgram, run } from "../../cli/program.ts";
import { createTempProject } from "../../temp-project.ts";
import { expectDescribed, pathOf } from "../described.ts";

beforeAll(buildProgram, 120_000);

interface Transport {
  readonly place: { readonly socketPath: string } | { readonly host: string; readonly port: string };
  readonly headers: Readonly<Record<string, string>>;
}

interface Given {
  readonly status: number;
  readonly text: string;
}

/** One answer; of a stream the first item. Held against the document. */
async function ask({ place, headers }: Transport, path: string, body?: object): Promise<Given> {
  const method = body ? "POST" : "GET";
  const type = body && { "content-type": "application/json" };
  const given = await new Promise<Given>((resolve, reject) => {
    const asked = request({ ...place, path, method, headers: { ...headers, ...type }, agent: false });
    asked.on("error", reject);
    asked.on("response", (response) => {
      const { statusCode: status = 0, headers: told } = response;
      const isStream = told["content-type"]?.startsWith("text/event-stream") === true;
      let text = "";
      const item = (): string | undefined => /^data: (.*)$/m.exec(text)?.[1];
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (!isStream || item() === undefined || !text.endsWith("\n\n")) return;
        asked.destroy();
        resolve({ status, text: item()! });
      });
      response.on("end", () => resolve({ status, text }));
    });
    asked.end(body && JSON.stringify(body));
  });
  if (pathOf({ method, path })) expectDescribed({ method, path, ...given });
  return given;
}

/** Agents that have talked, ask something, and have something that nobody got. */
async function openNode(): Promise<Readonly<Record<"socket" | "page", Transport>>> {
  const cwd = await createTempProject({ "a.txt": "one\n" });
  const node = run(
    [
      ...["start", "3", "--model", "offline", "--tick", "0", "--dashboard", "0", "--policy", "ask run *"],
      ...["--task", "goal see the garden then note plan: dig then write b.txt: two then tell 2 run ls"],
    ],
    { cwd },
  );
  await node.until("#token=");
  const [, port = "", token = ""] = /127\.0\.0\.1:(\d+)\/#token=([0-9a-f]{64})/.exec(node.out())!;
  await node.until("2.");
  return {
    socket: { place: { socketPath: join(cwd, ".ai-legion/legion.sock") }, headers: { host: "localhost" } },
    page: {
      place: { host: "127.0.0.1", port },
      headers: { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` },
    },
  };
}

type Ask = (path: string, body?: object) => Promise<Given>;

const answers = async (told: Promise<Given>): Promise<Readonly<Record<string, unknown>>> => {
  const { status, text } = await told;
  expect([status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
};

/** Resolves with what is asked for, once it `holds`. */
async function until(
  ask1: () => Promise<Readonly<Record<string, unknown>>>,
  holds: (one: string) => boolean,
) {
  for (;;) {
    const told = await ask1();
    if (holds(JSON.stringify(told))) return told;
  }
}

async function readAll(ask1: Ask): Promise<void> {
  await until(
    () => answers(ask1("/v1/questions")),
    (told) => told.includes("executeCommand"),
  );
  const agent = await answers(ask1("/v1/agents/1"));
  expect(agent).toMatchObject({ goals: [{ text: "see the garden" }], notes: ["plan"] });
  await answers(ask1("/v1/agents/1/notes/plan"));
  const { events } = (await answers(ask1("/v1/agents/1/log?limit=50"))) as {
    events: { seq: number; kind: string }[];
  };
  const decision = events.find(({ kind }) => kind === "decision")!;
  await answers(ask1(`/v1/agents/1/prompt?at=${decision.seq}`));
  const { messages } = (await answers(ask1("/v1/conversation"))) as { messages: { id: string }[] };
  const chain = `chains/${encodeURIComponent(messages[0]!.id)}`;
  const now = ["overview", "status", "agents/1/events", "agents/0/log", "agents/1/memory", "moment"];
  const then = [
    "inbox",
    "dead",
    "questions",
    "changes",
    "report",
    "costs",
    "purse",
    "moment",
    "agents/1",
    "conversation",
    chain,
    "runs",
    "differences?one=1&other=1",
    "agents/1/replay",
  ];
  for (const path of [...now, ...then]) await answers(ask1(`/v1/${path}`));
  const moment = new Date().toISOString();
  for (const path of [...then, "agents/1/notes/plan", "agents/1/prompt"])
    await answers(ask1(`/v1/${path}${path.includes("?") ? "&" : "?"}moment=${moment}`));
}

describe.each(["socket", "page"] as const)("what a node says of itself on its %s", (way) => {
  it(
    "is an OpenAPI document, and each of its answers, and refusals, is what that says",
    { timeout: 120_000 },
    async () => {
      const transport = (await openNode())[way];
      const asked = new Set<string>();
      const ask1: Ask = async (path, body) => {
        const given = await ask(transport, path, body);
        asked.add(
          `${pathOf({ method: body ? "POST" : "GET", path })} ${given.status === 200 ? "answers" : "refuses"}`,
        );
        return given;
      };
      const document = await answers(ask1("/v1/openapi.json"));
      expect(await new Validator().validate(document)).toMatchObject({ valid: true });
      await readAll(ask1);
      await answers(
        ask1("/v1/answer", { question: (await openQuestion(ask1)) ?? "", verdict: "denied", reason: "No." }),
      );
      await answers(ask1("/v1/say", { targets: ["1"], content: "tell 0 hello", delivery: "follow-up" }));
      await answers(ask1("/v1/relay", { targets: ["1"], content: "note b: c", request: "r-1" }));
      await answers(ask1("/v1/mode", { targets: ["3"], mode: "confirm" }));
      await answers(ask1("/v1/limits", { targets: ["3"], limits: { steps: 300, tokens: "none" } }));
      await answers(ask1("/v1/limits", { limits: { tokens: 9_000_000 } }));
      await answers(ask1("/v1/resend", { dead: ["1@1"] }));
      await answers(ask1("/v1/order", { targets: ["3"], order: "pause" }));
      await answers(ask1("/v1/order", { targets: "all", order: "resume" }));
      await answers(ask1("/v1/undoing?what=0%3E1%231"));
      await answers(ask1("/v1/undo", { what: "0>1#1" }));
      await answers(ask1("/v1/fork", { agent: "1", at: 5, as: "twin" }));
      const hosts = way === "socket" ? answers : (given: Promise<Given>): Promise<Given> => given;
      await hosts(ask1("/v1/spawn", { task: "help", request: "r-2" }));
      await answers(ask1("/v1/wake", { targets: ["1"] }));
      for (const { path, method } of Object.values(ROUTES)) await ask1(`/v1${path}`, { nonsense: method });
      for (const { path } of Object.values(READINGS))
        await ask1(`/v1${path.replace(/\{\w+\}/g, "nobody")}?nonsense=1`);
      expect((await ask1("/v1/nowhere")).status).toBe(400);
      await answers(ask1("/v1/stop", {}));
      const all = [...Object.values(ROUTES), ...Object.values(READINGS)].map(({ path }) => path);
      const withheld = way === "page" ? ["/spawn answers"] : [];
      const wanted = all.flatMap((path) => [`${path} answers`, `${path} refuses`]);
      expect(wanted.filter((one) => !asked.has(one))).toEqual(withheld);
    },
  );
});

async function openQuestion(ask1: Ask): Promise<string | undefined> {
  const { questions } = (await answers(ask1("/v1/questions"))) as { questions: { id: string }[] };
  return questions[0]?.id;
}
