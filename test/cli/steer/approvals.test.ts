import { expect, it } from "vitest";
import { answersOf } from "../../../src/storage/folder/person/trust.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { agent, asking, deploy, shop } from "../../agent/act/asking.ts";
import { serve } from "../../control/serve.ts";
import { createWorld } from "../../world.ts";
import { legion } from "../legion.ts";

it("shows what is asked, and a yes from another terminal lets a running agent do it", async () => {
  const { world, done, question } = await asking();
  await serve(world);
  const typed = async (...argv: string[]) => (await legion(argv, { cwd: world.project })).out;
  expect(await typed("approvals")).toMatch(
    new RegExp(
      `^Agent 1 asks ${question}: may I call deploy\\?\n    call deploy \\{"to":"prod"\\}\n` +
        "Asked because of: profile workspace\\.\nlegion approve .*\n\\(waiting for .*\\)",
    ),
  );
  expect((await legion(["approvals", "--json"], { cwd: world.project })).json).toMatchObject([
    { id: question, agent: "1", action: "deploy", rule: "profile workspace", isAnswered: false },
  ]);
  expect((await legion(["ps", "--json"], { cwd: world.project })).json).toMatchObject([
    { id: "1", state: "asking", waitingFor: `approve ${question}` },
  ]);
  expect(await typed("approve", question)).toBe(
    `${question}: Agent 1 may do it; it hears so when it runs.\n`,
  );
  await world.idle();
  expect(done).toEqual(["prod"]);
  expect(await typed("approvals")).toBe("Nobody waits for an answer.\n");
});

it("takes a no with its reason while no node runs, and a second answer is refused", async () => {
  const { world, done, question, modules } = await asking();
  await world.stop();
  const typed = (...argv: string[]) => legion(argv, { cwd: world.project });
  expect((await typed("ps", "--json")).json).toMatchObject([
    { id: "1", state: "stopped", waitingFor: `start, approve ${question}` },
  ]);
  const denied = await typed("deny", question, "use", "the", "test", "system");
  expect(denied.exitCode).toBe(0);
  expect(denied.out).toBe(`${question}: Agent 1 may not do it; it hears so when it runs.\n`);
  expect((await typed("approvals")).out).toContain("(answered, and not seen by the agent yet)");
  const second = await typed("approve", question);
  expect(second.exitCode).toBe(2);
  expect(second.err).toBe(`legion: Agent 1 does not wait for an answer to "${question}" any more\n`);
  const again = await world.restart({ "1": agent([], { modules }) });
  await again.idle();
  expect(done).toEqual([]);
  const results = await again.kinds("1", "result");
  expect(results[0]!.content).toContain("Control said no: use the test system.");
});

it.each([
  ["417", '"417" is no question; they look like 2.417, and legion approvals lists them'],
  ["nobody.1", 'there is no agent "nobody"; legion approvals lists what is open'],
  ["1.99", 'Agent 1 does not wait for an answer to "1.99" any more; it asks '],
])("refuses %s in one line", async (id, words) => {
  const { world } = await asking();
  const { exitCode, err } = await legion(["approve", id], { cwd: world.project });
  expect(exitCode).toBe(2);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(err).toContain(words);
});

it("remembers in the person's folder what is always allowed, for this project alone", async () => {
  const { world, question } = await asking();
  await serve(world);
  const options = { cwd: world.project };
  expect((await legion(["approve", question, "--always", "host"], options)).exitCode).toBe(2);
  const nothing = await legion(["approve", "1.99", "--always", "nothing"], options);
  expect([nothing.exitCode, nothing.err]).toEqual([
    2,
    'legion: --always: expected call or host, not "nothing"\n',
  ]);
  expect((await legion(["approve", question, "--always", "call"], options)).exitCode).toBe(0);
  await world.idle();
  const person = openPersonFolder(process.env);
  expect([...(await answersOf(person, world.project))]).toEqual([
    `call ["deploy",[["to","prod"]]] ${JSON.stringify({ kind: "anything", call: 'deploy {"to":"prod"}' })}`,
  ]);
  expect(await answersOf(person, "/elsewhere")).toEqual(new Set());
});

it("asks nothing that the person answered once and for all", async () => {
  const { done, modules } = shop();
  const isAnswered = (): Promise<boolean> => Promise.resolve(true);
  const world = await createWorld({ "1": agent([deploy("prod")], { modules }) }, { isAnswered });
  await world.say("1", "go");
  await world.idle();
  expect(done).toEqual(["prod"]);
});

it("is answered by the program that runs the legion", async () => {
  const { world, done, question } = await asking();
  expect(world.legion.questions()).toMatchObject([{ id: question, agent: "1", action: "deploy" }]);
  await expect(world.legion.approve("1.99")).rejects.toThrow('"1.99" waits for no answer');
  await world.legion.deny(question, "not today");
  await world.idle();
  expect(done).toEqual([]);
  expect(world.legion.questions()).toEqual([]);
});
