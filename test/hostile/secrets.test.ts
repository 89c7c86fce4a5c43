// A secret lies in the workspace, and everybody does what they can to get it out: the agents, whose model knows it from the
// start, their modules, their provider, and the person by mistake.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { system } from "../../modules/system/index.ts";
import { web } from "../../modules/web/index.ts";
import { createRedactor } from "../../src/base/redaction/redactor.ts";
import type { ActionResult, Module } from "../../src/domain/authoring/module.ts";
import type { Model } from "../../src/domain/model.ts";
import { defineModule, ok } from "../../src/domain/authoring/module.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { openWorld, temporaryFolder, type World } from "../world.ts";
import { filesWith, MARK, PLANTED, PLANTED_NAME, tracesIn } from "../planted.ts";
import { work, workshop } from "../workshop.ts";
import { legion } from "../cli/legion.ts";
import { createTempProject } from "../temp-project.ts";
import { START } from "./harm.ts";
import type { Host } from "../../src/domain/authoring/host.ts";

const redactor = createRedactor([{ name: PLANTED_NAME, value: PLANTED }]);
const FILE = "settings.txt";

interface Story {
  readonly answers?: readonly ScriptedAnswer[];
  /** What the action `work` does. */
  readonly work?: (step: string, host: Host) => ActionResult | Promise<ActionResult>;
  /** Beside the others. */
  readonly module?: Module;
  /** In place of the one that gives `answers`. */
  readonly model?: Model;
  /** After everybody rests. */
  readonly after?: (world: World) => Promise<void>;
}

interface Ended {
  readonly world: World;
  readonly requests: readonly unknown[];
}

async function play({
  answers = [],
  model,
  work: doWork = () => ok(""),
  module,
  after,
}: Story): Promise<Ended> {
  const project = await temporaryFolder();
  await mkdir(join(project, ".ai-legion"));
  await writeFile(join(project, FILE), `first line\ntoken = ${PLANTED}\nlast line\n`);
  const scripted = createScriptedModel(answers);
  const modules: readonly Module[] = [...workshop(doWork), system, web, ...(module ? [module] : [])];
  const other = createScriptedModel([
    { calls: [call("sendMessage", { targetAgentId: "0", message: `I heard ${PLANTED}` })] },
  ]);
  const agents = { 1: { model: model ?? scripted, modules }, 2: { model: other, modules } };
  const settings = (module: string): Readonly<Record<string, unknown>> =>
    module === "web" ? { allowPrivate: ["127.0.0.1"], browser: "off" } : {};
  const world = await openWorld(project, agents, { redactor, settings });
  await world.say("1", "begin");
  await world.idle();
  await after?.(world);
  await world.stop();
  return { world, requests: [...scripted.requests, ...other.requests] };
}

function call(action: string, parameters: Readonly<Record<string, unknown>>) {
  return { action, parameters };
}

function command(text: string): Story {
  return { answers: [{ calls: [call("executeCommand", { command: text })] }] };
}

/** Answers once, in pieces as they come, with a part of its own. */
function streaming(pieces: readonly string[], provider: unknown): Model {
  const scripted = createScriptedModel([]);
  let asked = 0;
  return {
    ...scripted,
    async complete(request, run) {
      const completion = await scripted.complete(request, run);
      if (asked++ > 0) return completion;
      for (const text of pieces) {
        run.onDelta?.({ kind: "text", text });
        run.onDelta?.({ kind: "thoughts", text });
      }
      const text = pieces.join("");
      return { ...completion, text, thoughts: text, calls: [], stop: "end", provider };
    },
  };
}

/** Failing once in words of its own. */
const BUSY = { error: { code: "MODEL_BUSY", message: `429 for key ${PLANTED}`, retryAfterMs: 0 } } as const;

const STORIES: readonly (readonly [name: string, story: Story])[] = [
  ["a command prints it", command(`cat ${FILE}`)],
  [
    "a command prints it in base64, over lines",
    command(`(head -c 60 /dev/zero; cat ${FILE}) | base64 -w 64`),
  ],
  ["a command prints it in hex", command(`od -An -v -tx1 ${FILE} | tr -d ' \\n'`)],
  ["a file that holds it is read", { answers: [{ calls: [call("readFile", { path: FILE })] }] }],
  [
    "it stands in a text too long for the log",
    { answers: [work("long")], work: () => ok(`${"x".repeat(1_000_000)}${PLANTED}`) },
  ],
  [
    "an action throws it",
    {
      answers: [work("x")],
      work() {
        throw new Error(`cannot log in with ${PLANTED}`);
      },
    },
  ],
  [
    "the model says it, in pieces, and its provider keeps it",
    {
      model: streaming(["it is ", PLANTED.slice(0, 7), PLANTED.slice(7, 15), `${PLANTED.slice(15)}.`], {
        raw: [PLANTED],
      }),
    },
  ],
  [
    "a module breaks with it when the prompt is made",
    {
      module: defineModule({
        name: "broken",
        actions: {},
        pinnedMessage() {
          throw new Error(`no login with ${PLANTED}`);
        },
      }),
    },
  ],
  [
    "the model gives it to an action",
    { answers: [work(`use ${PLANTED}`)], work: (step) => ok(`did ${step}`) },
  ],
  [
    "it is kept as a note, as its title and as a goal",
    {
      answers: [
        {
          calls: [
            call("writeNote", { title: `about ${PLANTED}`, content: `it is ${PLANTED}` }),
            call("addGoal", { goal: `remember ${encodeURIComponent(PLANTED)}` }),
          ],
        },
      ],
    },
  ],
  [
    "a file and a folder are called by it",
    {
      answers: [
        {
          calls: [
            call("createDirectory", { path: `of-${PLANTED.replace("/", "")}${PLANTED}` }),
            call("writeFile", { path: `${PLANTED}.txt`, content: PLANTED }),
          ],
        },
      ],
    },
  ],
  [
    "it is sent to another agent, and by that one to the person",
    { answers: [{ calls: [call("sendMessage", { targetAgentId: "2", message: `pass ${PLANTED} on` })] }] },
  ],
  [
    "a page is asked for by a URL with it, and by a module with it in a header",
    {
      answers: [
        { calls: [call("readPage", { url: `http://127.0.0.1:1/?k=${encodeURIComponent(PLANTED)}` })] },
        work("fetch"),
      ],
      async work(_, { node, signal }) {
        const address = await recordingServer();
        const asked = [
          { url: `${address}/?k=${encodeURIComponent(PLANTED)}` },
          { url: address, headers: { "x-token": Buffer.from(PLANTED).toString("base64") } },
          { url: address, method: "POST" as const, body: PLANTED },
        ].map(({ url, ...request }) => node.network.fetch(url, { signal, ...request }).then(String, String));
        return ok((await Promise.all(asked)).join("\n"));
      },
    },
  ],
  [
    "a provider fails in words with it, and the person repeats them",
    {
      answers: [BUSY],
      async after(world) {
        await world.say("1", `what does "${BUSY.error.message}" mean?`);
        await world.idle();
      },
    },
  ],
  [
    "a person writes it into the file of an agent's goals",
    {
      answers: [{ calls: [call("addGoal", { goal: "first" })] }],
      async after(world) {
        await world.stop();
        const file = join(world.project, ".ai-legion/agents/1/goals.json");
        await writeFile(file, JSON.stringify({ goals: [{ text: `use ${PLANTED}`, complete: false }] }));
        const again = await world.restart();
        await again.idle();
        await again.stop();
        expect(await readFile(file, "utf8")).toContain(MARK);
      },
    },
  ],
];

/** Requests that reached it. */
const reached: string[] = [];

async function recordingServer(): Promise<string> {
  const server = createServer((request, response) => {
    reached.push(`${request.url} ${JSON.stringify(request.headers)}`);
    request.on("data", (chunk: Buffer) => reached.push(chunk.toString()));
    request.on("end", () => response.end("fine"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("hostile: secrets", () => {
  it.each(STORIES)("%s", async (_, story) => {
    const { world, requests } = await play(story);
    const logs = JSON.stringify([await world.events("0"), await world.events("1"), await world.events("2")]);
    expect(logs).toContain(MARK);
    expect(tracesIn(logs), "in the logs").toEqual([]);
    expect(tracesIn(spokenIn(world)), "on a screen").toEqual([]);
    expect(tracesIn(JSON.stringify(world.seen)), "on a screen, in one piece").toEqual([]);
    expect(tracesIn(JSON.stringify(requests)), "in a prompt").toEqual([]);
    expect(tracesIn(reached.join("\n")), "at a host").toEqual([]);
    expect(await filesWith(join(world.project, ".ai-legion")), "in a file").toEqual([]);
  });
});

describe("hostile: secrets", () => {
  it.each([
    ["start", ...START],
    ["prompt", "1"],
    ["replay", "1"],
  ])("a module of the project says it in the error that ends legion %s", async (...argv) => {
    const agent = "agents/legionnaire.md";
    const project = await createTempProject({
      ".env": `${PLANTED_NAME}="${PLANTED}"\n`,
      [agent]: "---\nmodules: [core]\n---\n",
      "own.mjs": `throw new Error("no login with ${PLANTED}");`,
      "script.yaml": "- Done.",
    });
    expect(await legion(["start", ...START], { cwd: project })).toMatchObject({ exitCode: 0 });
    await writeFile(join(project, agent), "---\nmodules: [core, ./own.mjs]\n---\n");
    const { err } = await legion([...argv, "--trust"], { cwd: project, env: { LEGION_DEBUG: "1" } });
    expect(err).toContain(MARK);
    expect(tracesIn(err)).toEqual([]);
  });
});

/** What a person saw of text that came in pieces. */
function spokenIn({ seen }: World): string {
  const said = (kind: string): string =>
    seen
      .map((one) =>
        one.kind === "live:delta" && one.delta.kind === kind && "text" in one.delta ? one.delta.text : "",
      )
      .join("");
  return `${said("text")}\n${said("thoughts")}`;
}
