import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportSchema, type Report } from "../../../../src/legion/report/report.ts";
import { createFileReader } from "../../../../src/storage/files/reader/reader.ts";
import { copyToRedis } from "../../../storage/redis/copied-world.ts";
import { redisIsThere, startRedis, type Server } from "../../../storage/redis/servers.ts";
import { createWorld, temporaryFolder } from "../../../world.ts";
import { legion } from "../../legion.ts";
import { night, says, worker, write } from "./night.ts";

// Colours of ours: all else that a terminal acts on would be somebody else's.
const withoutColours = (text: string): string => text.replace(/\u001b\[(1|2|22|3[1-6]|39)m/g, "");

async function told(cwd: string, ...argv: string[]): Promise<Report> {
  const { json, exitCode } = await legion(["report", "--json", ...argv], { cwd });
  expect(exitCode).toBe(0);
  return reportSchema.parse(json[0]);
}

it("says of a night what was asked and how it stands, what waits, and what changed", async () => {
  const { project, stop } = await night();
  await stop();
  const report = await told(project);
  expect(report).toMatchObject({
    agents: 4,
    worked: 4,
    waiting: {
      total: 3,
      items: [
        {
          kind: "question",
          id: "4.5",
          agent: "4",
          text: 'call deploy {"to":"prod"}',
          way: "legion approve 4.5",
        },
        { kind: "parked", id: "3", way: "legion limits 3 steps=+100" },
        { kind: "start", way: "legion start" },
      ],
    },
    asked: {
      total: 3,
      items: [
        { root: "0>4#1", from: "person", text: "Deploy it.", state: "asks", answer: null },
        { root: "0>3#1", state: "parked", why: "Agent 3 is parked: this agent may make 1 model call." },
        {
          root: "0>1#1",
          agents: ["1", "2"],
          answer: { agent: "1", text: "Done: the parser builds. **It has 2 exports.**", isCut: false },
          answers: 1,
        },
      ],
    },
    odd: { total: 0 },
    changed: {
      total: 2,
      items: [
        { path: "parser.ts", does: "changed", agent: "2", cause: "0>1#1", added: 1, removed: 1 },
        { path: "parser.ts", does: "created", agent: "1", added: 2, removed: 0 },
      ],
    },
    commands: {
      items: [
        { command: "exit 3", exit: 3, agent: "1", cause: "0>1#1" },
        { command: "echo built", exit: 0, outcome: "ok" },
      ],
    },
  });
  expect(report.changed.items[0]!.diff).toContain("+export const a = 3;");
  // No text of results.
  expect(JSON.stringify(report)).not.toContain("Command executed successfully");
  const bill = (await legion(["bill", "--json"], { cwd: project })).json as { kind: string; cost: number }[];
  expect(report.spent.cost).toBeCloseTo(bill.find(({ kind }) => kind === "total")!.cost, 6);
});

it.each([110, 80, 60, 40])("fits into %d columns, what matters most first", async (columns) => {
  const { project, stop } = await night();
  await stop();
  const { out } = await legion(["report"], { cwd: project, columns });
  const rows = withoutColours(out).split("\n");
  for (const row of rows) expect(row.length).toBeLessThanOrEqual(columns);
  // A number stands beside what it counts.
  for (const row of rows) expect(row).not.toMatch(/· \d+$/);
  if (columns < 50) return;
  const titles = rows.filter((row) => /^[A-Z]/.test(row) && /(\(\d+\)|: nothing\.)$/.test(row));
  expect(titles).toEqual([
    "Waits for you (3)",
    "What was asked (3)",
    "What was odd: nothing.",
    "Files that were changed (2)",
    "Commands (2)",
  ]);
  expect(rows.join(" ").replace(/\s+/g, " ")).toContain("exit 3");
});

it("an answer lets what was asked be answered, and a second look begins where the first one ended", async () => {
  const world = await createWorld({ 1: worker([says("It is 4.")]) });
  await world.say("1", "What is 2 + 2?");
  await world.idle();
  await world.stop();
  const { project } = world;
  const first = await legion(["report", "--since", "last"], { cwd: project });
  expect([first.exitCode, first.err]).toEqual([0, expect.stringContaining("no page was shown before")]);
  // A pipe, a file and a program are not shown to anybody.
  for (const more of [[], ["--md"], ["--json"]])
    expect((await legion(["report", ...more], { cwd: project })).exitCode).toBe(0);
  expect((await told(project, "--since", "last")).asked.total).toBe(1);
  const shown = await legion(["report", "--since", "last"], { cwd: project, columns: 80 });
  expect(withoutColours(shown.out)).toMatch(
    /What is 2 \+ 2\?\n {4}answered · asked .*\n {4}Agent 1, .*: It is 4\./,
  );
  const next = await told(project, "--since", "last");
  expect([next.asked.total, next.since === null]).toEqual([0, false]);
  // Another legion of the same person begins for itself.
  expect((await told(await temporaryFolder(), "--since", "last")).since).toBeNull();
});

it("a place that cannot be kept is said, and the page is shown", async () => {
  const config = join(await temporaryFolder(), "is-a-file");
  await writeFile(config, "");
  const env = { XDG_CONFIG_HOME: config };
  const { out, err, exitCode } = await legion(["report"], { cwd: await temporaryFolder(), columns: 80, env });
  expect([exitCode, withoutColours(out)]).toEqual([
    0,
    expect.stringContaining("There are no agents yet; `legion start` makes one.\n"),
  ]);
  expect(err).toContain("--since last does not know of this page");
});

it.each([
  [["--since", "soon"], /--since: `soon` is no time/],
  [["--md", "--json"], /--md and --json: choose one/],
  [["--html", ""], /--html: name a file/],
  [["--html", "nowhere/x.html"], /there is no folder/],
])("%j is refused in one line, and nothing is written", async (argv, why) => {
  const cwd = await temporaryFolder();
  const { exitCode, err, out } = await legion(["report", ...argv], { cwd });
  expect([exitCode, out]).toEqual([2, ""]);
  expect(err).toMatch(why);
  expect(err.trim().split("\n")).toHaveLength(1);
});

const HOSTILE = [
  "\u001b]0;owned\u0007.txt",
  "\u001b[2Jgone.txt",
  "<img src=x onerror=alert(1)>.txt",
  "</pre><script>alert(1)</script>.txt",
  "`code` **bold** [x](javascript:1).txt",
  "| a | b |.txt",
  "\u202egnp.exe",
  "``` \n# A title.txt",
  "_www.example.com and https://example.com.txt",
];

it.each(HOSTILE)(
  "a file and words like %j are shown as text, on a terminal and in Markdown",
  async (name) => {
    const { modules } = worker([]);
    const world = await createWorld({
      1: { ...worker([write(name, `${name}\n`), says(`I wrote ${name}`)]), modules },
    });
    await world.say("1", `Write ${name}`);
    await world.idle();
    await world.stop();
    const terminal = withoutColours((await legion(["report"], { cwd: world.project, columns: 80 })).out);
    expect(terminal).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    const { out: md } = await legion(["report", "--md"], { cwd: world.project });
    const outside = md.replace(/(`+)(diff\n[^]*?\n\s*\1\n|(?!`)[^`\n].*?[^`]\1(?!`))/g, "");
    expect(md).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    const said = outside.replaceAll(/^## .*|^- \*\*|\*\*$|^ +> /gm, "");
    expect(said).not.toMatch(/<(img|script|\/pre)|(?<!\\)[[\]|]|(?<!\\)\*\*bold|^# A title/m);
    // A link without any mark, as GitHub makes it.
    expect(said).not.toMatch(/:\/\/|www\./i);
  },
);

it("parts of more than twenty lines are counted, with the command that lists them", async () => {
  const files = Array.from({ length: 23 }, (_, n) => write(`f${n}.txt`, "x\n"));
  const world = await createWorld({ 1: worker([...files, says("Done.")]) });
  await world.say("1", "Write many.");
  await world.idle();
  await world.stop();
  const { out } = await legion(["report", "--since", "2h"], { cwd: world.project });
  expect(out).toContain("Files that were changed (23)");
  expect(out).toContain("and 3 more: legion report --all --since 2h");
  const all = await told(world.project, "--all");
  expect(all.changed.items).toHaveLength(23);
});

it("a log that cannot be read is damage, and the page is shown without it", async () => {
  const world = await createWorld({ 1: worker([says("Yes.")]), 2: worker([says("No.")]) });
  await world.say("1", "Is it so?");
  await world.say("2", "Is it?");
  await world.idle();
  await world.stop();
  const folder = join(world.project, ".ai-legion/agents/2/log");
  await rm(folder, { recursive: true });
  await writeFile(folder, "");
  const report = await told(world.project);
  expect(report.odd.items).toMatchObject([{ kind: "damage", agents: ["2"], way: "legion doctor" }]);
  expect(report.asked.items).toContainEqual(expect.objectContaining({ root: "0>1#1", state: "answered" }));
});

it("what came from an archive is told as what happened here", async () => {
  const world = await createWorld({ 1: worker([write("a.txt", "a\n"), says("Written.")]) });
  await world.say("1", "Write it.");
  await world.idle();
  await world.stop();
  const file = join(await temporaryFolder(), "agents.tgz");
  expect((await legion(["export", "1", file], { cwd: world.project })).exitCode).toBe(0);
  const elsewhere = await temporaryFolder();
  expect((await legion(["import", file], { cwd: elsewhere })).exitCode).toBe(0);
  const [here, there] = [await told(world.project), await told(elsewhere)];
  expect(there.changed.items).toEqual(here.changed.items);
  expect(there.spent).toEqual(here.spent);
  expect(there.asked.items.map(({ text }) => text)).toEqual(["Write it."]);
});

it.each([
  ["y", "Agent 4 may do it, this once.", { verdict: "approved" }],
  ["no, use the test system", "Agent 4 may not do it.", { verdict: "denied", reason: "use the test system" }],
  ["later", "legion approve 4.5", undefined],
  ["", "legion approve 4.5", undefined],
])("a question is answered under the page that shows it: %j", async (line, said, verdict) => {
  const { project, stop } = await night();
  await stop();
  const typing = { cwd: project, columns: 80, at: "terminal", stdin: `${line}\n` } as const;
  const { out, exitCode } = await legion(["report"], typing);
  expect([exitCode, withoutColours(out)]).toEqual([0, expect.stringContaining("Enter: later")]);
  expect(withoutColours(out)).toContain(said);
  const mail = await createFileReader(project).unread("4", { taken: 0, seen: new Map() });
  expect(mail.map(({ message }) => message.details).filter(Boolean)).toEqual(
    verdict === undefined ? [] : [expect.objectContaining({ question: "4.5", ...verdict })],
  );
});

describe.skipIf(!redisIsThere)("over Redis", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  it("it says the same as of files", async () => {
    const { project, stop } = await night();
    await stop();
    const name = `legion-${randomUUID()}`;
    const url = `redis://127.0.0.1:${server.port}`;
    await copyToRedis(createFileReader(project), url, name);
    // When the person's mail was taken in is another moment there.
    const said = (report: Report): unknown => {
      const text = JSON.stringify({ ...report, since: "", until: "" });
      return JSON.parse(text.replace(/("answer":\{"agent":"1","at":)"[^"]*"/, '$1"then"'));
    };
    const redis = await told(await temporaryFolder(), "--bus", url, "--name", name);
    expect(said(redis)).toEqual(said(await told(project)));
  });
});
