import { expect, it } from "vitest";
import { serve } from "../../../control/serve.ts";
import { createWorld, openWorld, readEvents } from "../../../world.ts";
import { follow, legion } from "../../legion.ts";

const noop = { calls: [{ action: "noop" }] };
const note = {
  text: "I note it.",
  calls: [{ action: "writeNote", parameters: { title: "a", content: "b" } }],
};

it("prints the events as they are in the log, in order", async () => {
  const world = await createWorld({ "2": { script: [note] } });
  await world.say("2", "Work");
  await world.idle();

  const { json } = await legion(["log", "2", "--json"], { cwd: world.project });
  const events = await world.events("2");
  expect(json).toEqual(JSON.parse(JSON.stringify(events)));
  const rest = await legion(["log", "2", "--json", "--from", "4"], { cwd: world.project });
  expect(rest.json).toEqual(json.slice(3));
});

it("shows people one line for each event: time, number, kind, what it is about", async () => {
  const world = await createWorld({ "2": { script: [note] } });
  await world.say("2", "Work \u001b[2J on\nthis");
  await world.idle();

  const { out } = await legion(["log", "2"], { cwd: world.project, columns: 60 });

  const [day, ...lines] = out.trimEnd().split("\n");
  expect(day).toMatch(/^--- \d{4}-\d\d-\d\d ---$/);
  expect(lines).toHaveLength((await world.events("2")).length);
  for (const line of lines) {
    expect(line).toMatch(/^\d\d:\d\d:\d\d +\d+ [a-z]+ /);
    expect(line.length).toBeLessThanOrEqual(60);
  }
  expect(out).toContain("message   Control: Work on this");
  expect(out).toMatch(/decision +I note it\. writeNote \{"title":"a"/);
  expect(out).toMatch(/result +ok: Note "a" has been written/);
});

it("shows of a compaction what it left of how many tokens", async () => {
  const step = (n: number) => ({
    calls: [{ action: "writeNote", parameters: { title: `n${n}`, content: "word ".repeat(200) } }],
  });
  const script = Array.from({ length: 8 }, (_, n) => step(n));
  const world = await createWorld({
    "2": { script, profile: { summarises: false }, strategy: "recent", threshold: 2_000 },
  });
  await world.say("2", "Work");
  await world.idle();
  const { out } = await legion(["log", "2"], { cwd: world.project, columns: 200 });
  expect(out).toMatch(/ summary {3}of 2 to \d+ \(2,\d{3} -> [\d,]+ tokens\): - event 4-5: writeNote/);
});

it("shows what was said by and to the person as agent 0", async () => {
  const world = await createWorld({ "2": {} });
  await world.say("2", "Work");
  const { out } = await legion(["log", "0"], { cwd: world.project, columns: 80 });
  expect(out).toContain("notice    said: Work");
});

it("shows which words are another program's", async () => {
  const world = await createWorld({ "2": {} });
  await world.legion.control.relay({ targets: ["2"], content: "Work", request: "r-1" });
  await world.idle();
  const { out } = await legion(["log", "2"], { cwd: world.project, columns: 80 });
  expect(out).toContain("message   Control, another program: Work");
});

it("follows what happens, over the end of the node and its next start", async () => {
  const first = await createWorld({ "2": { script: [noop] } });
  const server = await serve(first);
  await first.say("2", "Before");
  await first.idle();
  const following = follow(["log", "2", "-f", "--json"], { cwd: first.project });
  await following.until("Before");
  await first.say("2", "During");
  await following.until("During");
  await server.close();
  await first.stop();
  await legion(["pause", "2"], { cwd: first.project });
  await following.until("by Control");
  const second = await openWorld(first.project, { "2": { script: [noop] } });
  await serve(second);
  await legion(["resume", "2"], { cwd: first.project });
  const ended = following.endAt("After");
  await second.say("2", "After");

  const { json } = await ended;
  const events = await readEvents(first.project, "2");
  expect(json.length).toBeGreaterThan(10);
  expect(json).toEqual(JSON.parse(JSON.stringify(events.slice(0, json.length))));
});

it("shows what comes next to one who begins at a later event", async () => {
  const world = await createWorld({ "2": { script: [noop] } });
  await serve(world);
  const ended = follow(["log", "2", "-f", "--from", "3"], { cwd: world.project }).endAt("decision");
  await world.say("2", "Work");
  const { out } = await ended;
  expect(out).not.toContain("Work");
  expect(out).toContain("prompted");
});

it.each([
  [["log", "2", "--from", "0"], "--from: expected a number from 1 up"],
  [["log", "2", "--from", "x"], "--from: expected a number from 1 up"],
  [["log", "3"], 'there is no agent "3"; known: 2'],
  [["log"], "usage: legion log <ids|all>"],
])("refuses %j", async (argv, text) => {
  const world = await createWorld({ "2": {} });
  const { exitCode, err } = await legion(argv, { cwd: world.project });
  expect(exitCode).toBe(2);
  expect(err).toContain(text);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});

it("shows the events of several agents in the order of time, each with whose it is", async () => {
  const world = await createWorld({ "1": { script: [note] }, writer: { script: [note] } });
  for (const id of ["1", "writer", "1"]) {
    await world.say(id, "Work");
    await world.idle();
  }
  const { json } = await legion(["log", "all", "--json"], { cwd: world.project });
  const events = json as readonly { agent: string; at: string; seq: number }[];
  const all = [...(await world.events("1")), ...(await world.events("writer"))];
  expect(events).toHaveLength(all.length);
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).sort());
  for (const id of ["1", "writer"]) {
    const seqs = events.filter(({ agent }) => agent === id).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  }
  const { out } = await legion(["log", "0,writer"], { cwd: world.project, columns: 80 });
  expect(out).toMatch(/^\d\d:\d\d:\d\d Control +\d+ notice +said: Work$/m);
  expect(out).toMatch(/^\d\d:\d\d:\d\d writer +\d+ message +Control: Work$/m);
  expect(out).not.toContain("Agent 1 ");
  const refused = await legion(["log", "all", "--from", "3"], { cwd: world.project });
  expect(refused).toMatchObject({ exitCode: 2, err: "legion: --from is about one agent; name just one\n" });
});

it("follows everybody, also an agent that is new", async () => {
  const world = await createWorld({ "1": { script: [noop] }, "2": { script: [noop] } });
  await serve(world);
  await world.say("1", "Before");
  await world.idle();
  const following = follow(["log", "all", "-f", "--json"], { cwd: world.project });
  await following.until("Before");
  await world.say("2", "During");
  await following.until("During");
  await world.idle();
  await legion(["fork", "1", "--at", "2", "--as", "1b"], { cwd: world.project });
  const { json } = await following.endAt('"agent":"1b"');
  const places = json.map((line) => {
    const { agent, seq } = line as { agent: string; seq: number };
    return `${agent} ${seq}`;
  });
  expect(new Set(places).size).toBe(places.length);
  const ofTwo = (await world.events("2")).map(({ seq }) => `2 ${seq}`);
  expect(places.filter((place) => place.startsWith("2 "))).toEqual(ofTwo);
});
