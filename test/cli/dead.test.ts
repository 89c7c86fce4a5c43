import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createClock } from "../../src/base/clock.ts";
import { compose } from "../../src/mail/compose.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { openFileStore } from "../../src/storage/files/store.ts";
import { fillMailbox } from "../mail/full-mailbox.ts";
import { serve } from "../control/serve.ts";
import { byHand, openWorld, temporaryFolder } from "../world.ts";
import { legion } from "./legion.ts";

const noop = { calls: [{ action: "noop" }] };
const tell = (targetAgentId: string, message: string) => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId, message } }],
});

/** A world of one agent that wrote to a full mailbox, twice. */
async function withDead() {
  const project = await temporaryFolder();
  const mailbox = await fillMailbox(project, "2");
  const script = [tell("2", "One\u001b[2J\nmore"), tell("2", "Two"), noop];
  const world = await openWorld(project, { "1": { script } });
  await world.say("1", "Work");
  await world.idle();
  return { world, project, makeRoom: () => rm(mailbox, { recursive: true }) };
}

const idsOf = (json: readonly unknown[]): string[] => json.map((letter) => (letter as { id: string }).id);

it("lists what could not be delivered, oldest first, with and without a node, and writes nothing", async () => {
  const { world, project } = await withDead();
  const during = await legion(["inbox", "--dead"], { cwd: project });
  await world.stop();
  const files = async () => (await readdir(join(project, ".ai-legion"), { recursive: true })).sort();
  const before = await files();
  const after = await legion(["inbox", "--dead"], { cwd: project, columns: 60 });

  const why = "  The mailbox of Agent 2 is full: 10000 unread messages.";
  for (const { out } of [during, after]) {
    expect(out.split("\n")).toEqual([
      expect.stringMatching(/^1@\d+ {2}\d+s {2}Agent 1 to Agent 2: One more$/),
      why,
      expect.stringMatching(/^1@\d+ {2}\d+s {2}Agent 1 to Agent 2: Two$/),
      why,
      "`legion resend <id>` sends one again.",
      "",
    ]);
  }
  expect(await files()).toEqual(before);
});

it("prints them as JSON, under the names that resend takes", async () => {
  const { project } = await withDead();
  const { json } = await legion(["inbox", "--dead", "--json"], { cwd: project });
  expect(json).toMatchObject([
    {
      id: expect.stringMatching(/^1@\d+$/) as string,
      source: { type: "agent", id: "1" },
      targetAgentIds: ["2"],
      content: "One\u001b[2J\nmore",
      to: ["2"],
      why: "The mailbox of Agent 2 is full: 10000 unread messages.",
    },
    { content: "Two" },
  ]);
});

it("tells people when there is nothing", async () => {
  const cwd = await temporaryFolder();
  expect((await legion(["inbox", "--dead"], { cwd })).out).toBe("There are no dead letters.\n");
  expect((await legion(["inbox", "--dead", "--json"], { cwd })).out).toBe("");
});

it("sends them again without a node, and what was sent is no longer listed", async () => {
  const { world, project, makeRoom } = await withDead();
  await world.stop();
  const [first, second] = idsOf((await legion(["inbox", "--dead", "--json"], { cwd: project })).json);
  const refused = await legion(["resend", first!], { cwd: project });
  expect(refused).toMatchObject({
    exitCode: 1,
    out: "",
    err: `legion: ${first} stays a dead letter. The mailbox of Agent 2 is full: 10000 unread messages.\n`,
  });

  await makeRoom();
  expect(await legion(["resend", second!, first!], { cwd: project })).toMatchObject({
    exitCode: 0,
    out: "1>2#1\n1>2#2\n",
    err: "",
  });
  expect((await legion(["inbox", "--dead", "--json"], { cwd: project })).json).toEqual([]);
  const again = await legion(["resend", first!], { cwd: project });
  expect(again).toMatchObject({ exitCode: 1, out: "", err: `legion: ${first} was sent again already.\n` });

  const restarted = await openWorld(project, { "2": {} });
  await restarted.idle();
  const contents = (await restarted.kinds("2", "message")).map(({ message }) => message.content);
  expect(contents).toEqual(["Two", "One\u001b[2J\nmore"]);
});

it("sends them again through the node that runs, one though another is refused", async () => {
  const { world, project, makeRoom } = await withDead();
  const [first, second] = idsOf((await legion(["inbox", "--dead", "--json"], { cwd: project })).json);
  await world.stop();
  await makeRoom();
  const again = await openWorld(project, { "1": {}, "2": {} });
  await serve(again);
  expect((await legion(["resend", first!], { cwd: project })).out).toBe("1>2#1\n");
  expect(await legion(["resend", first!, second!], { cwd: project })).toMatchObject({
    exitCode: 1,
    out: "1>2#2\n",
    err: `legion: ${first} was sent again already.\n`,
  });
  await again.idle();
  expect(await again.kinds("2", "message")).toHaveLength(2);
});

it("says that it will be sent, where a long step of its sender keeps it waiting", async () => {
  const { world, project, makeRoom } = await withDead();
  const [first] = idsOf((await legion(["inbox", "--dead", "--json"], { cwd: project })).json);
  await world.stop();
  await makeRoom();
  const answer = byHand<typeof noop>();
  const again = await openWorld(project, { "1": { script: () => answer.promise }, "2": {} });
  await serve(again);
  await again.say("1", "Think");
  await again.until((seen) => seen.kind === "live:state" && seen.state === "thinking");
  const { exitCode, out } = await legion(["resend", first!], { cwd: project });
  expect({ exitCode, out }).toEqual({
    exitCode: 0,
    out: `${first}: sent as soon as the step that runs is done.\n`,
  });
  answer.resolve(noop);
  await again.until((seen) => seen.kind === "event" && seen.agent === "2" && seen.event.kind === "message");
});

it("takes the id of a message that had one, also where Control said it", async () => {
  const project = await temporaryFolder();
  const paths = legionPaths(project);
  await (await openWorld(project, { "1": {} })).stop();
  const options = { paths, role: "command", durability: "process", hosted: new Set<string>() } as const;
  const store = await openFileStore({ ...options, clock: createClock(), inspect: () => undefined });
  const { memory } = store.control;
  const sends = compose(memory, { from: "0", to: ["3"], content: "Lost" }, [], 0);
  await memory.commit({ kind: "notice", reason: "said", content: "Lost", sends });
  await store.close();
  await (await openWorld(project, { "1": {} })).stop();

  const { out } = await legion(["inbox", "--dead"], { cwd: project });
  expect(out).toMatch(/^0@\d+ {2}\d+s {2}Control to Agent 3: Lost\n {2}There is no agent 3 any more\.\n/);
  const world = await openWorld(project, { "3": {} });
  await serve(world);
  expect((await legion(["resend", "0>3#1"], { cwd: project })).out).toBe("0>3#2\n");
  await world.idle();
  expect(await world.kinds("3", "message")).toMatchObject([{ message: { id: "0>3#2", content: "Lost" } }]);
});

it.each([
  ["resend", "9@1"],
  ["resend", "../1@1"],
  ["resend", "1>2"],
  ["resend", "1@0"],
  ["resend", "a/b>2#1"],
])("refuses %j %j in one line and makes nothing", async (...argv) => {
  const cwd = await temporaryFolder();
  expect(await legion(argv, { cwd })).toMatchObject({
    exitCode: 2,
    out: "",
    err: `legion: there is no dead letter ${JSON.stringify(argv[1])}; \`legion inbox --dead\` lists them\n`,
  });
  expect(await readdir(cwd)).toEqual([]);
});

it("refuses to follow dead letters", async () => {
  const { exitCode, err } = await legion(["inbox", "--dead", "-f"], { cwd: await temporaryFolder() });
  expect({ exitCode, err }).toEqual({
    exitCode: 2,
    err: "legion: --dead lists what is there now; leave out --follow\n",
  });
});
