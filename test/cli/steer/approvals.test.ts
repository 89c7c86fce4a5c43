import { expect, it } from "vitest";
import { answersOf } from "../../../src/storage/folder/person/trust.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { agent, asking, deploy, questionOf, shop } from "../../agent/act/asking.ts";
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
        "Asked because of: profile workspace\\.\nlegion approve .*\n" +
        "\\(waiting for \\d+s; without an answer it is a no on \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\)\n$",
    ),
  );
  expect((await legion(["approvals", "--json"], { cwd: world.project })).json).toMatchObject([
    { id: question, agent: "1", action: "deploy", rule: "profile workspace", isAnswered: false },
  ]);
  expect((await legion(["ps", "--json"], { cwd: world.project })).json).toMatchObject([
    { id: "1", state: "asking", waitingFor: `approve ${question}` },
  ]);
  expect(await typed("approve", question)).toBe(`${question}: Agent 1 may do it, this once.\n`);
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
  expect(denied.out).toBe(
    `${question}: Agent 1 may not do it, and reads why. No node runs it now: it hears so at the next start.\n`,
  );
  expect((await typed("approvals")).out).toContain("(answered; Agent 1 has not seen it yet)");
  const second = await typed("approve", question);
  expect(second.exitCode).toBe(2);
  expect(second.err).toBe(
    `legion: ${question} has its answer; Agent 1 has not seen it yet; no question is open\n`,
  );
  const again = await world.restart({ "1": agent([], { modules }) });
  await again.idle();
  expect(done).toEqual([]);
  const results = await again.kinds("1", "result");
  expect(results[0]!.content).toContain("Control said no: use the test system.");
});

it.each([
  ["417", "nobody waits for an answer to `417`"],
  ["nobody.1", "nobody waits for an answer to `nobody.1`"],
  ["1.99", "nobody waits for an answer to `1.99`"],
])("refuses %s in one line that names what is open", async (id, words) => {
  const { world, question } = await asking();
  const { exitCode, err } = await legion(["approve", id], { cwd: world.project });
  expect(exitCode).toBe(2);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(err).toBe(`legion: ${words}; open: ${question} (Agent 1)\n`);
});

it("shows one question alone, and whole however long it is", async () => {
  const { modules } = shop();
  const to = `a${"b".repeat(5_000)}\u202ec`;
  const world = await createWorld({ "1": agent([deploy(to)], { modules }) });
  await world.say("1", "go");
  const question = await questionOf(world);
  const options = { cwd: world.project };
  const listed = (await legion(["approvals"], options)).out;
  expect(listed).toMatch(/call \(50\d\d characters\) deploy /);
  expect(listed).toContain(`\nlegion approvals ${question} shows it whole\n`);
  const whole = (await legion(["approvals", question], options)).out;
  expect(whole).toContain(`    call deploy {"to":"a${"b".repeat(5_000)}\\u{202e}c"}\n`);
  expect(whole).not.toContain("shows it whole");
  expect((await legion(["approvals", "1.99"], options)).exitCode).toBe(2);
  expect((await legion(["approvals", question, "--json"], options)).json).toMatchObject([
    { id: question, parameters: { to }, isAnswered: false },
  ]);
});

it("remembers in the person's folder what is always allowed, for this project alone", async () => {
  const { world, question } = await asking();
  await serve(world);
  const options = { cwd: world.project };
  const always = (what: string) => legion(["approve", question, "--always", what], options);
  const nonsense = await legion(["approve", "1.99", "--always", "nothing"], options);
  expect([nonsense.exitCode, nonsense.err]).toEqual([
    2,
    'legion: --always: expected call or host, not "nothing"\n',
  ]);
  expect((await always("host")).err).toBe(
    `legion: --always host: ${question} asks for more than a host; --always call is for the whole of it\n`,
  );
  expect((await always("call")).out).toBe(
    `${question}: Agent 1 may do it, and this exact call is not asked again in this project.\n`,
  );
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
