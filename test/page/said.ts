// A real node whose agents say what does harm wherever it is taken for more than text, and repeat every secret that they know; and
// everybody who looks on: at the socket, at the port of the page, with a browser, with tools for traces and metrics.

import { readFile } from "node:fs/promises";
import { request, type RequestOptions } from "node:http";
import { join } from "node:path";
import { expect } from "vitest";
import { legion } from "../cli/legion.ts";
import { run } from "../cli/program.ts";
import { startCollector } from "../legion/tracing/collector.ts";
import { show } from "./kit.ts";
import { createTempProject } from "../temp-project.ts";

export const SECRETS = {
  OPENAI_API_KEY: "sk-of-the-provider-9Kq72fLmZ0",
  CITY_OF_BIRTH: "Wolkenkuckucksheim am See",
  DB_PASSWORD: "correct horse & battery",
  SESSION: "q7Rk2vN9xLw4mZ8bT3yH6cJ1",
  HOOK: "p4ssw0rd-of-the-db",
  COLLECTOR: "of-the-collector-Zx81mQ2v",
};

const TAKEN = "document.title='taken'";

/** By what it is. */
export const WORDS: Readonly<Record<string, string>> = {
  "an image": `<img src="/taken.png" onerror="${TAKEN}">`,
  "a script": `<script>${TAKEN}</script>`,
  "a picture that acts": `<svg onload="${TAKEN}"><animate onbegin="${TAKEN}"></svg>`,
  "a frame": `<iframe srcdoc="<script>parent.${TAKEN}</script>"></iframe><object data="/taken">`,
  "a style": "<style>@import url(/taken.css); body { display: none }</style>",
  "a refresh": '<meta http-equiv="refresh" content="0;url=/taken"><base href="https://evil.example/">',
  "a form": `<form action="/taken"><input autofocus onfocus="${TAKEN}"><button>`,
  links: `<a href="https://evil.example/" ping="/taken">go</a> [go](javascript:${TAKEN}) https://evil.example/`,
  "the end of an element": `"'></div></template></textarea></script><script>${TAKEN}</script><!--`,
  "a template": `{{constructor.constructor("${TAKEN}")()}} \${${TAKEN}} <%= ${TAKEN} %>`,
  "an event of a stream": 'so:\n\nid: taken:999\ndata: {"kind":"live:away","reason":"taken"}\n\nevent: taken',
  "a metric": 'x"} 1\nai_legion_taken_total 1\n# HELP ai_legion_taken_total x',
  "a property of all objects": '{"__proto__":{"taken":true},"constructor":{"prototype":{"taken":true}}}',
  "what controls a terminal": "\u001b[2J\u001b]0;taken\u0007\b\u0000\u009b31m",
  "what turns a line around": "\u202etxt.exe\u2066\u200b\u2028\u00ad",
  "half a character": "so \ud800 so \udfff",
};

const ALL = Object.values(SECRETS).join("\n");
/** A line of nearly the greatest size that a message may have. */
const LONG = `long:${"y".repeat(900_000)}`;
const END = "That is all.";

function script(): readonly unknown[] {
  const call = (action: string, parameters: object): object => ({ action, parameters });
  const say = (title: string, content: string, ...more: readonly object[]): object => ({
    text: content,
    thoughts: content,
    calls: [
      call("sendMessage", { targetAgentId: "0", message: content }),
      call("writeNote", { title: `${title} ${content.slice(0, 60)}`, content }),
      call("addGoal", { goal: content.slice(0, 10_000) }),
      ...more,
    ],
  });
  const path = `<b onclick=${TAKEN}>${SECRETS.SESSION}\u202e.txt`;
  // What there is no action for, under such a name: ten of these in a row would end it.
  const unknown = (content: string): object =>
    call(content.slice(0, 60), { [content.slice(0, 60)]: content });
  return [
    ...Object.entries(WORDS).map(([title, content], at) =>
      say(title, content, ...(at % 4 === 0 ? [unknown(content)] : [])),
    ),
    say(SECRETS.CITY_OF_BIRTH, ALL, unknown(ALL)),
    { calls: [call("writeFile", { path, content: ALL }), call("deleteFile", { path })] },
    { text: LONG, calls: [call("sendMessage", { targetAgentId: "0", message: LONG })] },
    // One of them becomes the summary of all that does not fit any more.
    ...[END, END],
  ];
}

export interface Told {
  /** What each who looked on got, all of it. */
  readonly surfaces: Readonly<Record<Surface, string>>;
  /** What the page shows as text, area by area. */
  readonly texts: Readonly<Record<string, string>>;
  /** Elements of the page that only what agents said could have made. */
  readonly foreign: readonly string[];
  /** What the page asked for, its own files and streams left out. */
  readonly asked: readonly string[];
  readonly title: string;
  /** Numbers of the events of agent 1, as the stream told them, and as the log has them. */
  readonly streamed: readonly string[];
  readonly logged: readonly string[];
}

export const SURFACES = [
  ...(["the socket", "the port of the page", "the stream of the overview", "the stream of a log"] as const),
  ...(["the feed of the socket", "the page", "a trace", "a trace for Chrome", "a collector"] as const),
  ...(["the metrics", "what the node prints"] as const),
] as const;
export type Surface = (typeof SURFACES)[number];

const PROJECT = {
  ".ai-legion/config.yaml": "secrets: [CITY_OF_BIRTH]\npolicy: { ask: [action deleteFile] }\n",
  ".env": `DB_PASSWORD="${SECRETS.DB_PASSWORD}"\nSESSION=${SECRETS.SESSION}\nHOOK=postgres://app:${SECRETS.HOOK}@db/app\n`,
};

const START = ["start", "1", "--model", "scripted:script.json", "--tick", "0", "--dashboard", "0", "--trust"];
const CONTENT = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" };

/** Everything that is told of such a legion. */
export async function play(): Promise<Told> {
  const cwd = await createTempProject({ ...PROJECT, "script.json": JSON.stringify(script()) });
  const collector = await startCollector();
  const { OPENAI_API_KEY, CITY_OF_BIRTH } = SECRETS;
  const env = {
    ...{ OPENAI_API_KEY, CITY_OF_BIRTH, ...CONTENT, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${SECRETS.COLLECTOR}`,
  };
  const node = run([...START, "--approvals", "wait"], { cwd, env });
  await node.until("#token=");
  const [url, port, token] = /http:\/\/127\.0\.0\.1:(\d+)\/#token=([0-9a-f]{64})/.exec(node.out())!;
  const page: Door = { host: "127.0.0.1", port, headers: { authorization: `Bearer ${token}` } };
  const socket: Door = { socketPath: join(cwd, ".ai-legion/legion.sock"), headers: { host: "localhost" } };
  const [overview, log] = [listen(page, "/v1/overview"), listen(page, "/v1/agents/1/events")];
  const feed = listen(socket, "/events");
  await Promise.all([overview, log, feed].map(({ opened }) => opened));
  await legion(["send", "1", ALL], { cwd, env });
  await log.until('"asked"');
  const seen = await lookAtPage(url);
  const { json: questions } = await legion(["approvals", "--json"], { cwd });
  await legion(["deny", (questions as readonly { readonly id: string }[])[0]!.id, ALL], { cwd, env });
  await log.until(`"text":"${END}"`);
  const { out: settings } = await legion(["dashboard", port!, "--metrics"], { cwd });
  const scraper = (await readFile(/credentials_file: "(.*)"/.exec(settings)![1]!, "utf8")).trim();
  const live = {
    ...{ "the socket": await readAll(socket), "the port of the page": await readAll(page) },
    "the metrics": await ask({ ...page, headers: { authorization: `Bearer ${scraper}` } }, "/metrics"),
  };
  for (const stream of [overview, log, feed]) stream.close();
  node.child.kill("SIGTERM");
  const { out, err } = await node.ended;
  const { json } = await legion(["log", "1", "--json"], { cwd });
  return {
    ...seen,
    streamed: [...log.told().matchAll(/^id: .*:(\d+)$/gm)].map(([, seq]) => seq!),
    logged: (json as readonly { readonly seq: number }[]).map(({ seq }) => String(seq)),
    surfaces: {
      ...live,
      ...{ "the stream of the overview": overview.told(), "the stream of a log": log.told() },
      ...{ "the feed of the socket": feed.told(), "the page": seen.html },
      "a trace": (await legion(["trace"], { cwd, env: CONTENT })).out,
      "a trace for Chrome": (await legion(["trace", "--format", "chrome"], { cwd, env: CONTENT })).out,
      ...{ "a collector": collector.bodies.join("\n"), "what the node prints": `${out}\n${err}` },
    },
  };
}

const READINGS = [
  ...["agents/0/log?limit=1000", "agents/1", "agents/1/log?limit=1000"],
  ...[
    "inbox",
    "dead",
    "questions",
    "changes",
    "costs",
    "status",
    "conversation",
    "chains/0%3E1%231",
    "undoing?what=0%3E1%231",
    "openapi.json",
  ],
].map((path) => `/v1/${path}`);

type Door = RequestOptions;

async function readAll(door: Door): Promise<string> {
  const answers: string[] = [];
  for (const path of READINGS) answers.push(await ask(door, path));
  return answers.join("\n");
}

function ask(door: Door, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request({ ...door, path, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        expect([path, response.statusCode]).toEqual([path, 200]);
        resolve(text);
      });
    });
    asking.on("error", reject).end();
  });
}

interface Listening {
  readonly opened: Promise<void>;
  readonly told: () => string;
  /** Resolves when it was told `text`. */
  until(text: string): Promise<void>;
  close(): void;
}

/** What goes on being told. */
function listen(door: Door, path: string): Listening {
  let told = "";
  let look = (): void => undefined;
  const asking = request({ ...door, path, agent: false });
  asking.on("error", () => undefined);
  const opened = new Promise<void>((resolve) => {
    asking.on("response", (response) => {
      response.setEncoding("utf8").on("data", (chunk: string) => {
        told += chunk;
        look();
      });
      response.on("error", () => undefined);
      resolve();
    });
  });
  asking.end();
  return {
    opened,
    told: () => told,
    until: (text) =>
      new Promise((resolve) => {
        look = (): void => void (told.includes(text) && resolve());
        look();
      }),
    close: () => void asking.destroy(),
  };
}

/** Goes through all areas as a person would, with all that can be opened. */
async function lookAtPage(url: string) {
  const { page, until } = await show(url);
  const asked: string[] = [];
  page.on("request", (one) => asked.push(new URL(one.url()).pathname));
  for (const event of ["dialog", "popup"] as const) page.on(event, () => asked.push(event));
  const texts: Record<string, string> = {};
  const pieces: string[] = [];
  const look = async (area: string): Promise<void> => {
    const text = await page.evaluate(() => document.body.innerText);
    texts[area] = text;
    pieces.push(await page.evaluate(() => document.documentElement.outerHTML), text);
  };
  await until(".c-name", "Agent 1");
  await look("legion");
  for (const [area, heading] of [
    ...([
      ["conversation", "Conversation"],
      ["inbox", "Inbox"],
      ["questions", "Questions"],
      ["changes", "Changes"],
      ["cost", "Cost"],
    ] as const),
    ["agents/1", "Agent 1"] as const,
  ]) {
    await page.evaluate((to) => void (location.hash = `#/${to}`), area);
    await until("main h1", heading);
    await until("main", PROOF[area]!);
    await look(area);
  }
  await until(".note summary", "what turns a line around");
  await page.$$eval(".note summary", (notes) => notes.forEach((note) => (note as HTMLElement).click()));
  await until(".note .text", "<script>");
  await look("notes");
  const foreign = await page.$$eval(
    "main img, main script, main iframe, main object, main style, main meta, main base, main form[action], main a[href^=http], " +
      "main a[href^=javascript], main [onerror], main [onload], main [onclick], body > script, main svg[onload], main animate",
    (found) => found.map(({ outerHTML }) => outerHTML.slice(0, 200)),
  );
  const own = (path: string): boolean =>
    path.startsWith("/v1/") || ["/", "/page.js", "/page.css", "/layout.js"].includes(path);
  return {
    ...{ texts, foreign, html: pieces.join("\n"), title: await page.title() },
    asked: asked.filter((path) => !own(path)),
  };
}

/** What each area has to show before it is looked at. */
const PROOF: Readonly<Record<string, string>> = {
  conversation: "so \\u{d800}",
  inbox: "so \\u{d800}",
  questions: "deleteFile",
  changes: "created",
  cost: "scripted",
  "agents/1": "deleteFile",
};
