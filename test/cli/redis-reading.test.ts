import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFileReader } from "../../src/storage/files/reader/reader.ts";
import { letter } from "../mail/letter.ts";
import { copyToRedis } from "../storage/redis/copied-world.ts";
import { createRedisPlace } from "../storage/redis/recorded-place.ts";
import { redisIsThere, startRedis, type Server } from "../storage/redis/servers.ts";
import { createTempProject } from "../temp-project.ts";
import { createWorld } from "../world.ts";
import { follow, legion } from "./legion.ts";

const PASSWORD = "correct-horse";

describe.skipIf(!redisIsThere)("reading commands over Redis", () => {
  let server: Server;
  let name: string;
  /** An empty one: none is needed. */
  let cwd: string;
  beforeAll(async () => void (server = await startRedis({ config: [`requirepass ${PASSWORD}`] })));
  afterAll(() => server.stop());
  beforeEach(async () => {
    name = `legion-${randomUUID()}`;
    cwd = await createTempProject();
  });

  const url = () => `redis://:${PASSWORD}@127.0.0.1:${server.port}`;
  const there = () => ["--bus", url(), "--name", name];

  async function busyProject(): Promise<string> {
    const calls = [
      { action: "addGoal", parameters: { goal: "Read" } },
      { action: "writeNote", parameters: { title: "a", content: "b" } },
      { action: "sendMessage", parameters: { targetAgentId: "0", message: "Done" } },
    ];
    const world = await createWorld({ "2": { script: [{ text: "I work.", calls }] }, "10": {} });
    await world.say("2", "Work");
    await world.idle();
    await world.stop();
    return world.project;
  }

  const withoutLogIds = (text: string): string =>
    text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "id");

  it("show the same as with files, and write nothing", async () => {
    const project = await busyProject();
    await copyToRedis(createFileReader(project), url(), name);
    const decision = (await legion(["log", "2", "--json"], { cwd: project })).json.find(
      (event) => (event as { kind: string }).kind === "decision",
    ) as { seq: number };
    const commands = [
      ["goals", "2"],
      ["goals", "2", "--json"],
      ["goals", "10"],
      ["notes", "2"],
      ["notes", "2", "a"],
      ["notes", "2", "--json"],
      ["log", "2"],
      ["log", "2", "--from", "3"],
      ["log", "2", "--tree"],
      ["log", "2", "--format", "mini-swe"],
      ["log", "2", "--format", "atif"],
      ["log", "10", "--format", "openai"],
      ["prompt", "2", "--at", String(decision.seq)],
      ["inbox"],
      ["inbox", "--json"],
      ["inbox", "--dead"],
      ["goals", "3"],
      ["prompt", "2"],
      ["prompt", "2", "--at", "99"],
      ["log", "0", "--from", "99"],
      ["bill", "--json"],
      ["bill", "--by", "action"],
    ];
    for (const argv of commands) {
      const expected = await legion(argv, { cwd: project });
      const seen = await legion([...argv, ...there()], { cwd });
      expect(seen.exitCode, argv.join(" ")).toBe(expected.exitCode);
      expect(seen.err).toBe(expected.err);
      expect(withoutLogIds(seen.out)).toBe(withoutLogIds(expected.out));
    }
    expect(await readdir(cwd)).toEqual([]);
  });

  it("find the legion by the environment and by the project's settings, too", async () => {
    const place = await createRedisPlace(url(), name);
    await place.enlist("2", {});
    const none = { exitCode: 0, out: "Agent 2 has no goals.\n" };
    const env = { LEGION_BUS: url(), LEGION_NAME: name };
    expect(await legion(["goals", "2"], { cwd, env })).toMatchObject(none);
    const project = await createTempProject({
      ".env": `LEGION_BUS=${url()}`,
      ".ai-legion/config.yaml": `name: ${name}`,
    });
    const { err: strange } = await legion(["goals", "2"], { cwd: project });
    expect(strange).toMatch(/^legion: left out, as you have not trusted it: set LEGION_BUS to redis:/);
    await legion(["trust", "--trust"], { cwd: project });
    expect(await legion(["goals", "2"], { cwd: project })).toMatchObject(none);
    expect(await legion(["goals", "2", "--dir", project], { cwd })).toMatchObject(none);
    const { err } = await legion(["goals", "2", "--bus", "memory"], { cwd: project });
    expect(err).toContain("there are no agents yet");
  });

  it("show what the model would be shown next, by the definitions of this folder or of the package", async () => {
    const place = await createRedisPlace(url(), name);
    await place.enlist("2", { definition: "legionnaire", model: "offline" });
    await place.append("2", [{ kind: "notice", reason: "restarted", content: "" }]);
    await place.deliver(letter("2", 1, { content: "What news?" }));
    const { exitCode, out, err } = await legion(["prompt", "2", ...there()], { cwd });
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out).toContain("You are Agent 2 (agent id 2).");
    expect(out).toContain("What news?");
    expect(await readdir(cwd)).toEqual([]);
  });

  it("follow what happens, and begin again with a log that does", async () => {
    const place = await createRedisPlace(url(), name);
    const note = (content: string) => ({ kind: "notice", reason: "restarted", content }) as const;
    await place.enlist("2", {});
    await place.append("2", [note("Before"), note("More before")]);
    const following = follow(["log", "2", "-f", "--json", ...there()], { cwd });
    await following.until("More before");
    await place.append("2", [note("During")]);
    await following.until("During");
    await place.forget("2");
    const again = await createRedisPlace(url(), name);
    await again.enlist("2", {});
    await again.append("2", [note("Anew")]);
    const { json } = await following.endAt("Anew");
    const seen = json.map((event) => (event as { content?: string }).content);
    expect(seen).toEqual([undefined, "Before", "More before", "During", undefined, "Anew"]);
  });

  it("follow the inbox, each message once", async () => {
    const place = await createRedisPlace(url(), name);
    await place.deliver(letter("0", 1));
    const following = follow(["inbox", "-f", "--json", ...there()], { cwd });
    await following.until("x 1");
    await place.deliver(letter("0", 2));
    await place.gather();
    const { json } = await following.endAt("x 2");
    expect(json.map((message) => (message as { content: string }).content)).toEqual(["x 1", "x 2"]);
  });

  it("say in one line that there are no files to repair", async () => {
    const { exitCode, out, err } = await legion(["doctor", "--repair", ...there()], { cwd });
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toMatch(/^legion: [^\n]*Redis[^\n]*`--bus memory` means the files of this project\n$/);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("say which legion they did not find", async () => {
    const { exitCode, err, out } = await legion(["goals", "2", ...there()], { cwd });
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toBe(
      `legion: there are no agents in the legion ${name} at redis://127.0.0.1:${server.port}/0; --name <name> means another legion there\n`,
    );
  });

  it("never show the password", async () => {
    const project = await busyProject();
    await copyToRedis(createFileReader(project), url(), name);
    const commands = [
      "goals 2",
      "notes 2",
      "log 2",
      "prompt 2",
      "inbox",
      "ps",
      "bill",
      "goals 9",
      "doctor",
      "replay 2",
      "export 2 -",
    ];
    for (const words of commands) {
      for (const env of [{ LEGION_DEBUG: "0" }, { LEGION_DEBUG: "1" }]) {
        const { out, err } = await legion([...words.split(" "), ...there()], { cwd, env });
        expect(out + err, words).not.toBe("");
        expect(out + err, words).not.toContain(PASSWORD);
      }
    }
    const wrong = `redis://:not-${PASSWORD}@127.0.0.1:${server.port}`;
    const { exitCode, err } = await legion(["goals", "2", "--bus", wrong], { cwd });
    expect(exitCode).toBe(1);
    expect(err).toMatch(/^legion: .*does not accept the user or the password[^\n]*\n$/);
    expect(err).not.toContain(PASSWORD);
  });
});

const READING = [
  "goals 2",
  "notes 2",
  "log 2",
  "log 2 -f",
  "prompt 2",
  "inbox",
  "inbox -f",
  "ps",
  "bill",
  "replay 2",
];

it.each(READING)("legion %s says in one line that no Redis answers, and writes nothing", async (words) => {
  const cwd = await createTempProject();
  const bus = `redis://user:${PASSWORD}@127.0.0.1:1/3`;
  const { exitCode, out, err } = await legion([...words.split(" "), "--bus", bus], { cwd });
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
  expect(err).toMatch(/^legion: [^\n]*redis:\/\/127\.0\.0\.1:1\/3[^\n]*\n$/);
  expect(err).not.toContain(PASSWORD);
  expect(await readdir(cwd)).toEqual([]);
});

it.each([
  "localhost:6379",
  "http://localhost:6379",
  `kafka://u:${PASSWORD}@h`,
  "redis:",
  "redis://",
  `redis://u:${PASSWORD}@`,
  `redis://:${PASSWORD}@h:66666`,
  `redis://:${PASSWORD}@h:x`,
  `redis://:${PASSWORD}@h/one`,
  `redis://:${PASSWORD}/slash@h`,
  `redis://:${PASSWORD}@h?unknown=1`,
  `redis://:${PASSWORD}@h\u001b[2J`,
  `redis://:${PASSWORD}@${"h".repeat(5_000)}`,
])("refuses the address %j in one line, without repeating it, and writes nothing", async (bus) => {
  for (const [given, place] of [
    [{ argv: ["--bus", bus], env: {} }, "--bus"],
    [{ argv: [], env: { LEGION_BUS: bus } }, "LEGION_BUS"],
  ] as const) {
    for (const command of [["goals", "2"], ["start"]]) {
      const cwd = await createTempProject();
      const { exitCode, out, err } = await legion([...command, ...given.argv], { cwd, env: given.env });
      expect({ exitCode, out }, err).toEqual({ exitCode: 2, out: "" });
      expect(err).toMatch(new RegExp(`^legion: ${place}: [^\\n]+\\n$`));
      expect(err).not.toContain(PASSWORD);
      expect(await readdir(cwd)).toEqual([]);
    }
  }
});

it.each(["A", "a b", "../x", "{a}", "a:b", "x".repeat(65), "-a"])("refuses the name %j", async (name) => {
  const cwd = await createTempProject();
  const argv = ["goals", "2", "--bus", "redis://127.0.0.1:1", "--name", name];
  const { exitCode, err } = await legion(argv, { cwd });
  expect(exitCode).toBe(2);
  expect(err).toBe(
    "legion: --name: expected a name of a-z, 0-9, dots, dashes and underscores, such as legion\n",
  );
});

it.each(["--bus", "--name"])("does not take another legion where %s is empty", async (option) => {
  const cwd = await createTempProject();
  const argv = ["goals", "2", "--bus", "redis://127.0.0.1:1", option, " "];
  const { exitCode, err } = await legion(argv, { cwd });
  expect({ exitCode, err }).toEqual({
    exitCode: 2,
    err: `legion: ${option}: it is empty; say which, or leave the option out\n`,
  });
});

it("does not repeat what an option that is not there was given", async () => {
  const cwd = await createTempProject();
  const { exitCode, err } = await legion(["goals", "2", `--buz=redis://:${PASSWORD}@h`], { cwd });
  expect({ exitCode, err }).toEqual({
    exitCode: 2,
    err: "legion: unknown option '--buz'; legion goals --help lists them\n",
  });
});
