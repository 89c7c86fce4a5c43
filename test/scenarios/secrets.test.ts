// Secrets of every kind are planted, a legion is hosted as people host it, and its agents do with them what they can. Then
// they are looked for: in every file, on every screen, at the socket, in what the provider was asked, and in Redis.

import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findNode } from "../../src/control/socket/client.ts";
import { ROUTES, ROUTE_NAMES } from "../../src/control/api/routes.ts";
import { openTestLink } from "../storage/redis/members.ts";
import { redisIsThere, startRedis, until, type Server } from "../storage/redis/servers.ts";
import { legion, type Seen, type Typing } from "../cli/legion.ts";
import { startOllama, type Mind } from "../local-servers.ts";
import { filesWith, tracesIn } from "../planted.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { createTempProject } from "../temp-project.ts";

const MINUTES_MS = 120_000;

const SECRETS = {
  OPENAI_API_KEY: "sk-of-the-provider-9Kq72fLmZ0",
  BRAVE_API_KEY: "BSA-of-the-search-x8vB3tYw5xA",
  CITY_OF_BIRTH: "Wolkenkuckucksheim am See",
  DB_PASSWORD: "correct horse & battery",
  SESSION: "q7Rk2vN9xLw4mZ8bT3yH6cJ1",
  HOOK: "postgres://app:p4ssw0rd-of-the-db@db/app",
};
/** Of an address only this is hidden. */
const PASSWORDS = ["p4ssw0rd-of-the-db", "p4ssw0rd-of-redis"];
/** What lies in the workspace, and what the model knows anyway. */
const ALL = Object.values(SECRETS).join("\n");

const SHOW = "cat found.txt; base64 found.txt; od -An -v -tx1 found.txt | tr -d ' \\n'; cat found.txt >&2";

/** Goes on where what it was shown says that it is. */
const mind: Mind = (prompt) => {
  const me = /\(agent id (\w+)\)/.exec(prompt)?.[1];
  const done = (word: string): boolean => prompt.includes(word);
  if (me === "2")
    return done("passed on")
      ? { action: "noop" }
      : { action: "sendMessage", parameters: { targetAgentId: "0", message: `passed on: ${ALL}` } };
  if (!done("Command executed")) return { action: "executeCommand", parameters: { command: SHOW } };
  if (!done("has been written"))
    return { action: "writeNote", parameters: { title: SECRETS.SESSION, content: ALL } };
  if (!done("Goal added")) return { action: "addGoal", parameters: { goal: `remember ${ALL}` } };
  if (!done("Wrote to"))
    return { action: "writeFile", parameters: { path: ".ai-legion-copy.txt", content: ALL } };
  if (!done("Message sent"))
    return { action: "sendMessage", parameters: { targetAgentId: "2", message: `pass on ${ALL}` } };
  return { action: "noop" };
};

/** Where secrets are meant to be. */
const ASKING = "ask.yaml";
const SOURCES = [".env", "found.txt", ASKING];

/** Asks a host for pages with and without secrets, and the person whether it may delete a file that is called by one. */
async function askingScript(host: string): Promise<string> {
  const page = (url: string) => ({ action: "readPage", parameters: { url } });
  const urls = Object.values(SECRETS).map((secret) => `${host}/?k=${encodeURIComponent(secret)}`);
  const deleting = { action: "deleteFile", parameters: { path: `${SECRETS.SESSION}.txt` } };
  return JSON.stringify([{ calls: [page(`${host}/plain`), ...urls.map(page), deleting] }, "Done."]);
}

/** A host of the web: what it was asked. */
async function openHost(): Promise<{ readonly host: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${JSON.stringify(request.headers)}`);
    response.setHeader("content-type", "text/plain").end("A page.");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** A project with everything planted, and what starts it. */
async function plant(bus?: string, begun?: Promise<void>) {
  const { host, asked } = await openHost();
  const cwd = await createTempProject({
    ".ai-legion/config.yaml":
      "secrets: [CITY_OF_BIRTH]\nweb: { allowPrivate: [127.0.0.1], browser: off }\npolicy: { ask: [action deleteFile] }\n",
    [ASKING]: await askingScript(host),
    ".env": `DB_PASSWORD="${SECRETS.DB_PASSWORD}"\nSESSION=${SECRETS.SESSION}\nHOOK=${SECRETS.HOOK}\n`,
    "found.txt": `${ALL}\n${bus ?? ""}\n`,
  });
  const { baseUrl, chats } = await startOllama([{ id: "llama3.2" }], { mind, ...(begun && { begun }) });
  const { OPENAI_API_KEY, BRAVE_API_KEY, CITY_OF_BIRTH } = SECRETS;
  const env = {
    PATH: process.env["PATH"] ?? "",
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY,
    BRAVE_API_KEY,
    CITY_OF_BIRTH,
  };
  return { cwd, chats, asked, env: { ...env, LEGION_LOG: "trace", ...(bus && { LEGION_BUS: bus }) } };
}

const START = ["start", "2", "--model", "openai/llama3.2", "--tick", "0", "--until-idle", "--trust", "--yes"];

const { HOOK: _, ...WHOLE } = SECRETS;
const PLANTED = [...Object.values(WHOLE), ...PASSWORDS];

/** Each of the secrets of which anything is found in `text`. */
function foundIn(text: string): readonly string[] {
  return PLANTED.filter((secret) => tracesIn(text, secret).length > 0);
}

type Shown = Pick<Seen, "out" | "err">;

interface Played {
  readonly cwd: string;
  /** What anybody saw. */
  readonly screens: string;
  readonly chats: readonly unknown[];
  /** What a host of the web was asked. */
  readonly asked: readonly string[];
}

/** Hosts the legion, has a person say everything, and looks at it with every command; a second terminal follows its socket. */
async function play(bus?: string): Promise<Played> {
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const { cwd, env, chats, asked } = await plant(bus, begun);
  const typing = { cwd, env };
  const ended = new AbortController();
  const followed = followSocket(cwd, begin, ended.signal);
  const seen: Shown[] = [await legion([...START, "--json", "--task", `begin with ${ALL}`], typing)];
  ended.abort();
  const socket = await followed;
  expect(socket).toContain("live:progress");
  seen.push(await legion([...START, "-v", "--task", ALL], { ...typing, columns: 100 }));
  seen.push(...(await askPerson(typing)));
  seen.push(await legion(["send", "1", ALL], typing));
  for (const argv of [
    ["ps"],
    ["log", "1", "--json"],
    ["log", "2"],
    ["log", "0"],
    ["notes", "1"],
    ["goals", "1"],
    ["inbox"],
    ["inbox", "--dead"],
    ["log", "1", "--tree"],
    ["doctor"],
    ["trust", "--list"],
    ["prompt", "1"],
    ["export", "--all", "-"],
    ["replay", "1"],
    ["replay", "2"],
  ])
    seen.push(await legion(argv, typing));
  return { cwd, chats, asked, screens: [socket, ...seen.map(({ out, err }) => `${out}\n${err}`)].join("\n") };
}

/** A question of an agent, seen and answered on other terminals and at the socket of the node, which says everything too. */
async function askPerson(typing: Typing): Promise<readonly Shown[]> {
  const wait = ["--approvals", "wait", "--policy", "allow net 127.0.0.1", "--tick", "0", "--trust"];
  const node = legion(["start", "1", "--model", `scripted:${ASKING}`, ...wait, "--task", ALL], typing);
  const open = async () => (await legion(["approvals", "--json"], typing)).json as readonly { id: string }[];
  await until(async () => (await open()).length > 0);
  const [question] = await open();
  // It asks before it listens.
  await until(async () => (await findNode(legionPaths(typing.cwd).socket)) !== undefined);
  const seen: Shown[] = [await legion(["approvals"], typing), await legion(["ps"], typing)];
  for (const name of ROUTE_NAMES)
    if (name !== "stop") seen.push({ out: await callSocket(typing.cwd, name), err: "" });
  seen.push(await legion(["deny", question!.id, ALL], typing));
  seen.push(await legion(["stop"], typing));
  return [...seen, await node];
}

/** What the node says to a call with secrets in every field. */
function callSocket(project: string, name: (typeof ROUTE_NAMES)[number]): Promise<string> {
  const { path, method } = ROUTES[name];
  const headers = { host: "localhost", "content-type": "application/json" };
  const body = {
    to: ["1"],
    content: ALL,
    question: ALL,
    verdict: "denied",
    reason: ALL,
    agent: "1",
    id: ALL,
  };
  return new Promise((resolve, reject) => {
    const { socket: socketPath } = legionPaths(project);
    const asking = request({ socketPath, path: `/v1${path}`, method, headers }, (response) => {
      let answer = "";
      response.on("data", (chunk: Buffer) => (answer += chunk.toString())).once("end", () => resolve(answer));
    });
    asking.once("error", reject).end(method === "post" ? JSON.stringify(body) : undefined);
  });
}

/** What the control API tells whoever follows it, from the moment on from which there is a node. */
async function followSocket(project: string, onFollowed: () => void, signal: AbortSignal): Promise<string> {
  const { socket: socketPath } = legionPaths(project);
  let heard = "";
  const hear = (): Promise<void> =>
    new Promise((resolve) => {
      const asking = request({ socketPath, path: "/events", signal }, (response) => {
        onFollowed();
        response.on("data", (chunk: Buffer) => (heard += chunk.toString())).once("close", resolve);
      });
      asking.once("error", () => resolve()).end();
    });
  await until(async () => {
    await hear();
    return signal.aborted || heard !== "";
  });
  return heard;
}

function check({ screens, chats, asked }: Played): void {
  expect(asked.filter((each) => each.startsWith("/plain "))).toHaveLength(1);
  expect(foundIn(asked.join("\n")), "at a host").toEqual([]);
  for (const name of ["OPENAI_API_KEY", "BRAVE_API_KEY", "CITY_OF_BIRTH", "DB_PASSWORD", "SESSION", "HOOK"])
    expect(screens).toContain(`[redacted:${name}]`);
  expect(chats.length).toBeGreaterThan(8);
  expect(foundIn(screens), "on a screen").toEqual([]);
  expect(foundIn(JSON.stringify(chats)), "in a request").toEqual([]);
}

/** Those of the project and of the person's own folder, but for the ones that were planted. */
async function files(cwd: string): Promise<readonly string[]> {
  const sources = SOURCES.map((name) => join(cwd, name));
  const found = [];
  for (const folder of [cwd, process.env["XDG_CONFIG_HOME"]!])
    for (const secret of PLANTED) found.push(...(await filesWith(folder, secret)));
  return found.filter((path) => !sources.includes(path));
}

describe("planted secrets", () => {
  it(
    "are nowhere in a legion that lives in files",
    async () => {
      const played = await play();
      check(played);
      expect(await files(played.cwd)).toEqual([]);
      expect(played.screens).toContain("decisions, identical.");
    },
    MINUTES_MS,
  );

  it(
    "are shown by no replay of what was recorded before they were known, and make no difference to it",
    async () => {
      const { cwd, env } = await plant();
      await writeFile(join(cwd, ".env"), "");
      await legion([...START, "--task", "begin"], { cwd, env });
      expect((await filesWith(join(cwd, ".ai-legion"), SECRETS.SESSION)).length).toBeGreaterThan(0);
      await writeFile(join(cwd, ".env"), `SESSION=${SECRETS.SESSION}\n`);
      const { exitCode, out, err } = await legion(["replay", "1"], { cwd, env });
      expect([exitCode, err]).toEqual([0, ""]);
      expect(out).toContain("identical");
      const prompt = await legion(["prompt", "1"], { cwd, env });
      expect(prompt.out).toContain("[redacted:SESSION]");
      expect(tracesIn(prompt.out, SECRETS.SESSION)).toEqual([]);
    },
    MINUTES_MS,
  );
});

describe.skipIf(!redisIsThere)("planted secrets, in Redis", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis({ config: ["requirepass p4ssw0rd-of-redis"] })));
  afterAll(() => server.stop());

  it(
    "are in no key",
    async () => {
      const url = server.url.replace("redis://", "redis://:p4ssw0rd-of-redis@");
      const played = await play(url);
      check(played);
      expect(await files(played.cwd)).toEqual([]);
      const link = await openTestLink(url);
      const kept: string[] = [];
      for (const key of (await link.command("KEYS", "*")) as readonly string[])
        kept.push(key, await valueOf(key, link));
      expect(kept.length).toBeGreaterThan(20);
      expect(kept.join("\n")).toContain("[redacted:SESSION]");
      expect(foundIn(kept.join("\n"))).toEqual([]);
    },
    MINUTES_MS,
  );
});

async function valueOf(key: string, { command }: Awaited<ReturnType<typeof openTestLink>>): Promise<string> {
  const type = await command("TYPE", key);
  if (type === "stream") return JSON.stringify(await command("XRANGE", key, "-", "+"));
  if (type === "hash") return JSON.stringify(await command("HGETALL", key));
  if (type === "set") return JSON.stringify(await command("SMEMBERS", key));
  if (type === "zset") return JSON.stringify(await command("ZRANGE", key, 0, -1));
  if (type === "list") return JSON.stringify(await command("LRANGE", key, 0, -1));
  return JSON.stringify(await command("GET", key));
}
