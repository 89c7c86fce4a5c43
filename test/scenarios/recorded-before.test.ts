// A legion that the version before the house recorded, in files and in a Redis: with every kind of event, agents that were
// parked, halted and killed, a fork, imports, a text too long for a line. `test/fixtures/recorded/record.mjs` made it.

import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { legion } from "../cli/legion.ts";
import { buildProgram, runToEnd } from "../cli/program.ts";
import { redisIsThere, startRedis, type Server } from "../storage/redis/servers.ts";

const RECORDED = fileURLToPath(new URL("../fixtures/recorded", import.meta.url));
const CREW = ["clerk", "critic", "gardener", "guard", "parrot", "visitor", "writer"];
/** Of whoever recorded it; it was made up for that. */
const KEY = "5eed".repeat(16);
/** Those that send messages, and what they are told of them today that was not said then. */
const TOLD_SINCE = ["clerk", "critic", "writer"];
const TOLD_OF_ANSWERS =
  /^\S+, \w+ \d+: system prompt, line \d+ .*\n- .*\n\+ .* Where a message says that it needs an answer, /;
const START = ["start", "--tick", "0", "--yes", "--trust", "--until-idle"];

/** Somewhere that the recorded legion is. */
interface Place {
  readonly cwd: string;
  /** What every command says of it. */
  readonly at: readonly string[];
  /** What brings agents with a workspace along. */
  readonly here: readonly string[];
}

/** Copies the recorded project, and what else of it is in files. */
async function openProject(home?: string): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), "legion-recorded-"));
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  await cp(join(RECORDED, "project"), project, { recursive: true });
  if (home !== undefined) await cp(join(RECORDED, home), join(project, ".ai-legion"), { recursive: true });
  return project;
}

interface Recorded {
  readonly key: string;
  readonly type: "string" | "hash" | "stream";
  readonly value:
    string | Readonly<Record<string, string>> | readonly (readonly [string, readonly string[]])[];
  /** What XSETID takes. */
  readonly set?: readonly string[];
}

/** Puts the recorded keys into an empty Redis. */
async function restore(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  const lines = (await readFile(join(RECORDED, "redis.jsonl"), "utf8")).trimEnd().split("\n");
  for (const { key, type, value, set = [] } of lines.map((line) => JSON.parse(line) as Recorded)) {
    if (type === "string") await redis.set(key, value as string);
    if (type === "hash") await redis.hset(key, value as Record<string, string>);
    if (type !== "stream") continue;
    const entries = value as readonly (readonly [string, string[]])[];
    for (const [id, fields] of entries) await redis.xadd(key, id, ...fields);
    // A stream that was read to its end is still there.
    if (entries.length === 0) {
      await redis.xadd(key, set[0]!, "x", "x");
      await redis.xdel(key, set[0]!);
    }
    await redis.call("XSETID", key, ...set);
  }
  redis.disconnect();
}

interface Said {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/** What loads the modules of a project, or counts tokens in a thread of its own, is a process of its own. */
const PROGRAMS = ["start", "replay", "prompt"];

async function typed({ cwd, at }: Place, ...argv: string[]): Promise<Said> {
  if (!PROGRAMS.includes(argv[0]!)) return legion([...argv, ...at], { cwd });
  const { code, ...said } = await runToEnd([...argv, ...at], { cwd });
  return { exitCode: code, ...said };
}

async function printed(place: Place, ...argv: string[]): Promise<string> {
  const { exitCode, out, err } = await typed(place, ...argv);
  expect({ argv, exitCode, err }).toEqual({ argv, exitCode: 0, err: "" });
  return out;
}

/** Without what an `opened` says of the place: who wrote it there, and how long its files are. */
async function events(place: Place, agent: string): Promise<Event[]> {
  const lines = (await printed(place, "log", agent, "--json")).trimEnd().split("\n");
  return lines
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Event)
    .map((event) => (event.kind === "opened" ? { ...event, mac: "", seals: {} } : event));
}

const contents = (log: readonly Event[]): string[] =>
  log.flatMap((event) => (event.kind === "message" ? [event.message.content] : []));

/** Sets what the model of `agent` answers from now on. */
async function answer({ cwd }: Place, agent: string, answers: readonly unknown[]): Promise<void> {
  await writeFile(join(cwd, `scripts/${agent}.yaml`), JSON.stringify(answers));
}

const addGoal = (goal: string) => ({ calls: [{ action: "addGoal", parameters: { goal } }] });

beforeAll(buildProgram, 120_000);
beforeAll(async () => {
  // Whoever recorded it goes on with it.
  const own = join(process.env["XDG_CONFIG_HOME"]!, "ai-legion");
  await mkdir(own, { recursive: true, mode: 0o700 });
  await writeFile(join(own, "key"), `${KEY}\n`, { mode: 0o600 });
});

function describeRecorded(seen: string, open: () => Promise<Place>): void {
  let place: Place;
  beforeEach(async () => void (place = await open()));

  it("shows what the version before showed of it", async () => {
    const before = JSON.parse(await readFile(join(RECORDED, seen), "utf8")) as Record<string, string>;
    const now: Record<string, string> = {};
    for (const command of Object.keys(before)) {
      // The only name with a space in it.
      const argv = command
        .replace("a/b: plan", "a/b:_plan")
        .split(" ")
        .map((word) => word.replace("_", " "));
      now[command] = createHash("sha256")
        .update(await printed(place, ...argv))
        .digest("hex");
    }
    expect(now).toEqual(before);
  });

  it("goes on: unread mail is read, what was recorded stays, goals and notes are there", async () => {
    const past = new Map<string, Event[]>();
    for (const id of CREW) past.set(id, await events(place, id));
    await answer(place, "writer", [addGoal("go on"), { text: "Done." }]);
    const { exitCode, err } = await typed(place, ...START, "--team", "crew", ...place.here);
    expect({ exitCode, err }).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/^legion: \S+ is (parked|paused|halted): /),
    });
    for (const id of CREW) {
      const now = await events(place, id);
      expect(now.slice(0, past.get(id)!.length)).toEqual(past.get(id));
    }
    expect(contents(await events(place, "writer"))).toContain("For the next start.");
    expect(contents(await events(place, "clerk"))).toContain("For the next start.");
    expect(await printed(place, "goals", "writer")).toMatch(/\[x\].*\n(.*\n)*\d+ \[ \] go on\n$/);
  });

  it("is forked from any event, also one before it was forked", async () => {
    const log = await events(place, "writer");
    const first = log.find(({ kind }) => kind === "decision")!;
    const results = log.filter(({ kind, seq }) => kind === "result" && seq > first.seq);
    await printed(place, "fork", "writer", "--at", String(results[2]!.seq), "--as", "third");
    await printed(place, "fork", "writer", "--at", String(results[2]!.seq));
    const goals = "1 [ ] Count the beds\n2 [ ] Write it down\n";
    expect(await printed(place, "goals", "third")).toBe(goals);
    expect(await printed(place, "goals", "writer")).toBe(goals);
    await answer(place, "writer", [addGoal("another"), { calls: [{ action: "noop" }] }]);
    await printed(place, "send", "third", "Go on.");
    const { exitCode, err } = await typed(place, ...START, "--only", "third", ...place.here);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(await printed(place, "goals", "third")).toBe(`${goals}3 [ ] another\n`);
  });

  it("is replayed, and nothing is different but what agents are told of messages that need an answer", async () => {
    for (const id of CREW) {
      const branch = (await events(place, id)).find(({ kind }) => kind === "branch");
      const end = branch ? ["--to", String(branch.seq - 1)] : [];
      const { exitCode, out, err } = await typed(place, "replay", id, ...end, "--trust");
      const isTold = TOLD_SINCE.includes(id);
      expect({ id, exitCode, out, err }).toEqual({
        id,
        exitCode: isTold ? 1 : 0,
        out: expect.stringMatching(isTold ? TOLD_OF_ANSWERS : /^\S+: \d+ decisions?, identical\.\n$/),
        err: expect.not.stringContaining("legion:"),
      });
    }
  });

  it("goes into a file and comes out of it as it was", async () => {
    const file = join(place.cwd, "all.legion");
    await printed(place, "export", "--all", file);
    const cwd = await openProject();
    const copy = { cwd, at: [], here: [] };
    await printed(copy, "import", file);
    for (const id of ["0", ...CREW, "twin", "adopted", "old"])
      expect(await events(copy, id)).toEqual(await events(place, id));
    for (const id of ["writer", "clerk", "twin"]) {
      expect(await printed(copy, "goals", id)).toBe(await printed(place, "goals", id));
      expect(await printed(copy, "prompt", id)).toBe(await printed(place, "prompt", id));
    }
  });

  it("takes in what the version before exported", async () => {
    await printed(place, "import", join(RECORDED, "guard.legion"), "--as", "second");
    const before = await events(place, "guard");
    const after = await events(place, "second");
    expect(after.filter(({ kind }) => kind === "decision").length).toBe(
      before.filter(({ kind }) => kind === "decision").length,
    );
    expect(await printed(place, "goals", "second")).toBe(await printed(place, "goals", "guard"));
  });
}

describe("a legion that the version before recorded in files", () => {
  describeRecorded("seen-files.json", async () => ({ cwd: await openProject("legion"), at: [], here: [] }));

  it("is somebody else's to anybody else, until they take it on", async () => {
    const cwd = await openProject("legion");
    const env = { XDG_CONFIG_HOME: join(cwd, "person") };
    const said = "what is kept of guard was not written on your machines";
    expect((await runToEnd(["ps"], { cwd, env })).out.replace(/\s+/g, " ")).toContain(said);
    const started = await runToEnd([...START, "--only", "guard"], { cwd, env });
    expect(started.err).toMatch(/^legion: guard is parked: this agent may make 4 model calls\.\n$/);
    const { out } = await runToEnd(["log", "guard"], { cwd, env });
    expect(out).toContain("A person took on what stands before this.");
  });
});

describe.skipIf(!redisIsThere)("a legion that the version before recorded in Redis", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  describeRecorded("seen-redis.json", async () => {
    await restore(server.url);
    return { cwd: await openProject(), at: ["--bus", server.url, "--name", "recorded"], here: ["--here"] };
  });
});
