import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createDisk } from "../../../src/base/files/disk.ts";
import { takeLock } from "../../../src/storage/folder/lock.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { serve } from "../../control/serve.ts";
import { createWorld, openWorld, readEvents, temporaryFolder } from "../../world.ts";
import { follow, legion } from "../legion.ts";

const noop = { calls: [{ action: "noop" }] };
const tell = (targetAgentId: string, message: string) => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId, message } }],
});

async function restingProject() {
  const project = await temporaryFolder();
  await (await openWorld(project, { "1": {}, "2": {}, writer: {} })).stop();
  return project;
}

it("prints one message id a line, through the node that runs", async () => {
  const world = await createWorld({ "1": {}, "2": {}, "3": {} });
  await serve(world);
  const { exitCode, out, err } = await legion(["send", "2,3", "Hello", "there"], { cwd: world.project });
  expect({ exitCode, out, err }).toEqual({ exitCode: 0, out: "0>2#1\n0>3#1\n", err: "" });
  await world.idle();
  expect(await world.kinds("3", "message")).toMatchObject([{ message: { content: "Hello there" } }]);
  expect(await world.kinds("1", "message")).toEqual([]);
});

it("leaves mail for the next start while no node runs, in the same order and numbering", async () => {
  const project = await restingProject();
  expect((await legion(["send", "all", "One"], { cwd: project })).out).toBe("0>1#1\n0>2#1\n0>writer#1\n");
  expect((await legion(["send", "2", "Two"], { cwd: project })).out).toBe("0>2#2\n");

  const world = await openWorld(project, { "2": {} });
  await world.idle();
  const contents = (await world.kinds("2", "message")).map(({ message }) => message.content);
  expect(contents).toEqual(["One", "Two"]);
});

it("waits for another command that holds the directory", async () => {
  const project = await restingProject();
  const paths = legionPaths(project);
  const lock = await takeLock(paths.lock, createDisk(paths.tmp), { role: "command", waitMs: 0 });
  const sending = legion(["send", "2", "Hello"], { cwd: project });
  await lock.release();
  expect((await sending).out).toBe("0>2#1\n");
});

it("goes through the socket of a node that was only starting when it was typed", async () => {
  const project = await restingProject();
  const world = await openWorld(project, { "2": {} });
  const sending = legion(["send", "2", "Hello"], { cwd: project });
  await serve(world);
  expect((await sending).out).toBe("0>2#1\n");
});

it.each([
  [["send", "9", "x"], 'there is no agent "9"; known: 1, 2, writer'],
  [["send", "2,x", "x"], 'there is no agent "x"; known: 1, 2, writer'],
  [["send", "0", "x"], "0 is you; name an agent"],
  [["send", ",", "x"], "name an agent, several such as 2,3, or all"],
  [["send", "2", " "], "there is nothing to say: the text is empty"],
  [["send", "2"], "missing required argument 'text'; usage: legion send <ids|all> <text>"],
  [["send", "2", "x", "--timeout", "1s"], "--timeout belongs to --wait"],
  [
    ["send", "2", "x", "--steer", "--follow-up"],
    "--steer is read next, --follow-up when all is done; leave one of them out",
  ],
  [
    ["send", "2", "x", "--wait", "--timeout", "soon"],
    '--timeout: "soon" is no duration; write 500ms, 2s, 5m or 1h',
  ],
])("refuses %j in one line and writes nothing", async (argv, text) => {
  const project = await restingProject();
  const files = async () => (await readdir(join(project, ".ai-legion"), { recursive: true })).sort();
  const before = await files();
  const { exitCode, out, err } = await legion(argv, { cwd: project });
  expect({ exitCode, out, err }).toEqual({ exitCode: 2, out: "", err: `legion: ${text}\n` });
  expect(await files()).toEqual(before);
});

it("makes nothing in a folder without agents", async () => {
  const project = await temporaryFolder();
  const { exitCode, err } = await legion(["send", "1", "x"], { cwd: project });
  expect({ exitCode, err }).toEqual({
    exitCode: 2,
    err: "legion: there are no agents yet; `legion start` makes one\n",
  });
  expect(await readdir(project)).toEqual([]);
});

it("reads the text from standard input", async () => {
  const project = await restingProject();
  await legion(["send", "2", "-"], { cwd: project, stdin: "first\n- second\n" });
  const [said] = (await readEvents(project, "0")).filter((event) => event.kind === "notice");
  expect(said).toMatchObject({ reason: "said", content: "first\n- second" });
  const long = await legion(["send", "2", "-"], { cwd: project, stdin: "x".repeat(1_048_577) });
  expect(long).toMatchObject({ exitCode: 2, err: expect.stringContaining("at most 1048576 bytes") });
});

it("waits for the first message that answers it, and no other", async () => {
  const newestMail = ({ turns }: ModelRequest): string => {
    const last = turns.at(-1);
    return last?.role === "user" ? last.text : "";
  };
  const world = await createWorld({
    "2": {
      script: (request) => {
        const mail = newestMail(request);
        if (mail.endsWith("Work")) return tell("3", "Help me");
        return mail.endsWith("I help") ? tell("0", "Done") : noop;
      },
    },
    "3": { script: [{ calls: [...tell("0", "I have been asked").calls, ...tell("2", "I help").calls] }] },
  });
  await serve(world);
  const { exitCode, out } = await legion(["send", "2", "Work", "--wait"], { cwd: world.project });
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: "0>2#1\nDone\n" });
  expect(await world.kinds("0", "message")).toHaveLength(2);
});

const NOBODY = "Agent 2 does not run; `legion start` runs it";

it("does not wait for one that does not run: the mail is there, and that is said", async () => {
  const project = await restingProject();
  const { exitCode, out, err } = await legion(["send", "2", "Work", "--wait"], { cwd: project });
  expect({ exitCode, out, err }).toEqual({ exitCode: 1, out: "0>2#1\n", err: `legion: ${NOBODY}\n` });
  const world = await openWorld(project, { "2": {} });
  await world.idle();
  expect(await world.kinds("2", "message")).toHaveLength(1);
});

it("waits for one of several that runs", async () => {
  const project = await restingProject();
  await serve(await openWorld(project, { "2": { script: [tell("0", "Done")] } }));
  const { exitCode, out } = await legion(["send", "1,2", "Work", "--wait"], { cwd: project });
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: "0>1#1\n0>2#1\nDone\n" });
});

it.each(["stop", "pause"])("ends as soon as nobody is left to answer: %s", async (order) => {
  const world = await createWorld({ "1": {}, "2": { script: [noop] } });
  await serve(world);
  const waiting = follow(["send", "2", "Work", "--wait"], { cwd: world.project });
  await waiting.until("0>2#1");
  await world.idle();
  await legion([order, "2"], { cwd: world.project });
  const { exitCode, err } = await waiting.endAt("never printed");
  expect(exitCode).toBe(1);
  expect(err).toMatch(order === "stop" ? /^legion: Agent 2 does not run; / : /^legion: Agent 2 is paused; /);
});

it("still finds the answer of an agent that stopped when it had given it", async () => {
  const world = await createWorld({ "2": { script: [tell("0", "Done")] } });
  const { close } = await serve(world);
  const waiting = follow(["send", "2", "Work", "--wait"], { cwd: world.project });
  await waiting.until("0>2#1");
  await close();
  await world.stop();
  const { exitCode, out } = await waiting.endAt("never printed");
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: "0>2#1\nDone\n" });
});

it("gives up after the timeout and says so", async () => {
  const world = await createWorld({ "2": { script: [noop] } });
  await serve(world);
  const { exitCode, out, err } = await legion(["send", "2", "Work", "--wait", "--timeout", "50ms"], {
    cwd: world.project,
  });
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: "0>2#1\n" });
  expect(err).toBe("legion: no answer within 50ms; when it comes, legion inbox shows it\n");
});

it("tells a person who reads it and when, in one line for each case", async () => {
  const world = await createWorld({
    "1": {},
    "2": {},
    "3": { script: () => new Promise<never>(() => undefined) },
    "4": { limits: { steps: 1 }, script: [{ calls: [{ action: "help" }] }] },
    "5": {},
  });
  await serve(world);
  await world.say("4", "Work");
  await world.idle();
  await world.say("3", "Work");
  await world.until((seen) => seen.agent === "3" && seen.kind === "live:state" && seen.state === "thinking");
  const typed = async (...argv: string[]) => (await legion(argv, { cwd: world.project, columns: 80 })).out;
  await typed("pause", "5");
  expect(await typed("send", "all", "Hello")).toBe(
    [
      "Agent 1 and Agent 2 read it now.",
      "Agent 3 reads it after the step that runs.",
      "Agent 4 is parked (this agent may make 1 model call); `legion limits 4 steps=+100` lets it go on.",
      "Agent 5 is paused; `legion resume 5` lets it go on.",
      "",
    ].join("\n"),
  );
  await typed("stop", "1");
  expect(await typed("send", "1", "Hello")).toBe("Agent 1 does not run; `legion start` runs it.\n");
});

it("names the command that runs an agent which the last start left out", async () => {
  const project = await temporaryFolder();
  const end = ["--model", "offline", "--until-idle", "--tick", "0"];
  await legion(["start", "3", ...end], { cwd: project });
  await legion(["start", "1", ...end], { cwd: project });
  const { out } = await legion(["send", "all", "Hello"], { cwd: project, columns: 80 });
  expect(out).toBe(
    "Agent 1 does not run; `legion start` runs it.\n" +
      "Agent 2 and Agent 3 do not run; `legion start --only 2,3` runs them.\n",
  );
});
