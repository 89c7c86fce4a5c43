import { expect, it } from "vitest";
import type { Event } from "../../../../src/domain/event/event.ts";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { entriesFrom } from "../../../../src/past/memory/recall.ts";
import { createTempProject } from "../../../temp-project.ts";
import { legion } from "../../legion.ts";

const END = ["--until-idle", "--tick", "0"];

async function entriesIn(project: string): Promise<readonly string[]> {
  const { memories } = createFileBackend(project);
  const entries = await entriesFrom(memories.read("main/legion"), 1);
  return entries.map(({ speaker, raw, summarised }) => `${speaker} ${summarised}: ${raw}`);
}

it("a start with --scribe has what is said kept in long-term memory, and the next start has its scribe again", async () => {
  const cwd = await createTempProject({});
  const first = await legion(["start", "1", "--scribe", "--task", "whoami", ...END], { cwd });
  expect(first).toMatchObject({ exitCode: 0, err: "" });
  expect(first.out).toMatch(/^2 agents on offline/);
  expect(first.out).toContain("scribe: limits: 5000 steps. Listens to what you and the agents say");
  expect(await entriesIn(cwd)).toEqual(["0 rules: whoami", ...(await answersIn(cwd))]);
  const again = await legion(["start", "--task", "noop", ...END], { cwd });
  expect(again.out).toMatch(/^2 agents on offline/);
  expect(await entriesIn(cwd)).toContain("0 rules: noop");
});

it("`legion memory flush` has the context made of what was said until now", async () => {
  const cwd = await createTempProject({});
  await legion(["start", "1", "--scribe", "--task", "note boat: Ada is blue", ...END], { cwd });
  expect((await legion(["memory", "context"], { cwd })).out).toBe("main/legion has no context.\n");
  const flushed = await legion(["memory", "flush"], { cwd });
  expect(flushed).toMatchObject({ exitCode: 0, err: "" });
  expect(flushed.out).toContain("scribe makes the context of main/legion of what was said until now");
  await legion(["start", ...END], { cwd });
  expect((await legion(["memory", "context"], { cwd })).out).toContain("note boat: Ada is blue");
  expect((await legion(["memory", "--json"], { cwd })).out).toContain('"keeper":"scribe"');
});

it("what was forgotten is not before the eyes of a scribe any more: its sessions end, and begin without it", async () => {
  const cwd = await createTempProject({});
  await legion(["start", "1", "--scribe", "--task", "note boat: Canary is blue", ...END], { cwd });
  await legion(["memory", "flush"], { cwd });
  await legion(["start", ...END], { cwd });
  await legion(["start", "--task", "noop", ...END], { cwd });
  const before = await openingOf(cwd);
  expect(before).toContain("Canary");
  expect(await legion(["memory", "forget", "--query", "Canary", "--yes"], { cwd })).toMatchObject({
    ...{ exitCode: 0, err: "" },
  });
  await legion(["start", "--task", "noop", ...END], { cwd });
  const after = await openingOf(cwd);
  expect(after).not.toBe(before);
  expect(after).not.toContain("Canary");
});

/** What the newest session of the scribe began with. */
async function openingOf(cwd: string): Promise<string> {
  const events: Event[] = [];
  for await (const event of createFileBackend(cwd).reader.events("scribe")) events.push(event);
  const start = events.findLastIndex(
    (event) => event.kind === "observed" && event.control === "start_session",
  );
  const results = events.slice(start).flatMap((event) => (event.kind === "result" ? [event.content] : []));
  return results.slice(0, 2).join("\n");
}

/** What agent 1 answered. */
async function answersIn(cwd: string): Promise<readonly string[]> {
  const { out } = await legion(["log", "1", "--json"], { cwd });
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  return events.flatMap((event) =>
    event.kind === "decision" || event.kind === "result"
      ? (event.sends ?? []).map(({ content }) => `1 rules: ${content}`)
      : [],
  );
}

it("warns in one line that a list of whom it observes names another observer, which it does not hear", async () => {
  const front = (observe: string) => `---\ndirector: scribe\nobserve: ${observe}\n---\n`;
  const cwd = await createTempProject({
    "agents/listener.md": front("[1, scribe]"),
    "agents/crowd.md": front("[scribe, listener]"),
    "agents/pair.yaml": "agents: { 1: { agent: legionnaire }, listener: { agent: listener } }",
    "agents/all.yaml": "agents: { 1: { agent: legionnaire }, crowd: { agent: crowd } }",
  });
  const alone = await legion(["start", "--team", "pair", ...END], { cwd });
  expect(alone).toMatchObject({ exitCode: 0, err: "" });
  const { err } = await legion(["start", "--team", "pair", "--scribe", ...END], { cwd });
  expect(err).toBe(
    "legion: listener does not hear scribe, whom `observe` in its definition names: it observes others itself\n",
  );
  // Also those that do not run.
  expect((await legion(["start", "--team", "all", ...END], { cwd })).err).toBe(
    "legion: crowd does not hear scribe and listener, whom `observe` in its definition names: they observe others themselves\n",
  );
});

it.each([
  ["director: scribe", "needs `observe: all`, or a list of agent ids"],
  ["observe: all", "only with `director: scribe`"],
  ["atLimit: extracts", "only with `director: scribe`"],
  ["director: scribe\nobserve: all\natLimit: never", "expected park or extracts"],
  ["director: other\nobserve: all", "expected scribe"],
  ["director: scribe\nobserve: [0]", "expected all, or a list of agent ids such as [1, writer]"],
  ["director: scribe\nobserve: [1]", "agent 1 cannot observe itself: leave it out of `observe`"],
])("refuses a definition that says %j, in one line, and writes nothing", async (front, reason) => {
  const cwd = await createTempProject({ "agents/listener.md": `---\n${front}\n---\nListen.` });
  const { exitCode, err } = await legion(["start", "--agent", "listener", ...END], { cwd });
  expect(exitCode).toBe(2);
  expect(err).toContain(reason);
  expect(err.trim().split("\n")).toHaveLength(1);
  expect(await createFileBackend(cwd).reader.known()).toEqual([]);
});
