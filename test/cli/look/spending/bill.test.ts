import { join } from "node:path";
import { expect, it } from "vitest";
import { PRICE } from "../../../spending.ts";
import { createWorld, temporaryFolder, type World } from "../../../world.ts";
import { legion } from "../../legion.ts";

const tell = "sendMessage\ntargetAgentId: 2\nmessage: Look.";
const noop = { calls: [{ action: "noop" }] };

async function twoRoots(): Promise<World> {
  const profile = { price: PRICE };
  const world = await createWorld({
    1: { script: ["I had better look.", tell], protocol: "text", profile },
    2: { script: [noop, noop], profile },
  });
  await world.say("1", "Find\u001b[31m the\nkey.");
  await world.idle();
  await world.say("2", "And the door.");
  await world.idle();
  return world;
}

interface Row {
  readonly kind: string;
  readonly name: string | null;
  readonly tokens: number;
  readonly cost: number;
}

it.each(["root", "agent", "model", "action"])(
  "by %s the lines of a bill add up to what ps says, and their parts to the lines",
  async (way) => {
    const { project } = await twoRoots();
    const { json, exitCode } = await legion(["bill", "--by", way, "--json"], { cwd: project });
    expect(exitCode).toBe(0);
    const rows = json as readonly Row[];
    const agents = (await legion(["ps", "--json"], { cwd: project })).json as readonly Row[];
    const sum = (kinds: readonly string[], list = rows, of: "tokens" | "cost" = "tokens"): number =>
      list.filter(({ kind }) => kinds.includes(kind)).reduce((total, row) => total + row[of], 0);
    const spent = agents.reduce((total, { tokens }) => total + tokens, 0);
    expect(sum(["total"])).toBe(spent);
    expect(sum(["line", "unanswered"])).toBe(spent);
    expect(sum(["part"])).toBe(sum(["line"]));
    expect(sum(["line", "unanswered"], rows, "cost")).toBeCloseTo(sum(["total"], rows, "cost"), 9);
  },
);

it("a bill names what brought nothing", async () => {
  const { project } = await twoRoots();
  const { out } = await legion(["bill"], { cwd: project, columns: 80 });
  expect(out.split("\n").map((line) => line.replace(/ {2,}/g, " "))).toMatchObject([
    expect.stringMatching(/^FOR CALLS IN CACHED OUT TOKENS COST MESSAGE$/),
    expect.stringMatching(/^0>1#1 4 .* \$0\.\d{4} Find.* the key\.$/),
    expect.stringMatching(/^ 1 3 /),
    expect.stringMatching(/^ 2 1 /),
    expect.stringMatching(/^0>2#1 1 .* And the door\.$/),
    expect.stringMatching(/^ 2 1 /),
    expect.stringMatching(/^all of it 5 .* \$0\.\d{4}$/),
    "",
    "Of that brought nothing:",
    expect.stringMatching(/^ answers without a readable action: \d+ tokens, \$0\.\d{4}$/),
    "",
  ]);
  expect(out).not.toContain("\u001b");
  for (const columns of [100, 80, 60, 40])
    for (const way of ["root", "agent", "model", "action"])
      for (const line of (await legion(["bill", "--by", way], { cwd: project, columns })).out.split("\n"))
        expect(line.length).toBeLessThanOrEqual(columns);
  const actions = await legion(["bill", "--by", "action"], { cwd: project, columns: 80 });
  expect(actions.out.match(/^\S+/gm)).toEqual(
    expect.arrayContaining(["noop", "sendMessage", "(unreadable)", "all"]),
  );
});

it("a bill for spreadsheets holds nothing that they would run", async () => {
  const world = await createWorld({ 1: { script: [noop] } });
  await world.say("1", '=HYPERLINK("http://example.com"), look');
  await world.idle();
  const { out } = await legion(["bill", "--csv"], { cwd: world.project });
  const [titles, first] = out.split("\n");
  expect(titles).toBe("kind,name,steps,input,output,cacheRead,tokens,cost,unpriced,text");
  expect(first).toMatch(/^line,0>1#1,1,\d+,\d+,0,\d+,0,0,"'=HYPERLINK\(""http:\/\/example.com""\), look"$/);
});

it("what a fork and an import bring from another agent is nobody's bill", async () => {
  const { project, stop } = await twoRoots();
  await stop();
  const whole = await totalOf(project);
  await legion(["fork", "1", "--at", "6", "--as", "9"], { cwd: project });
  expect(await totalOf(project)).toEqual(whole);
  const file = join(await temporaryFolder(), "agents.tgz");
  expect((await legion(["export", "1", file], { cwd: project })).exitCode).toBe(0);
  const elsewhere = await temporaryFolder();
  expect((await legion(["import", file], { cwd: elsewhere })).exitCode).toBe(0);
  const bill = await totalOf(elsewhere);
  const [agent] = (await legion(["ps", "--json"], { cwd: elsewhere })).json as readonly Row[];
  expect(bill).toMatchObject({ tokens: agent!.tokens });
  expect(bill.tokens).toBeGreaterThan(0);
});

async function totalOf(project: string): Promise<Row> {
  const rows = (await legion(["bill", "--json"], { cwd: project })).json as readonly Row[];
  return rows.find(({ kind }) => kind === "total")!;
}

it("a bill of nobody says so, and what it can be asked for", async () => {
  const cwd = await temporaryFolder();
  expect((await legion(["bill"], { cwd })).out).toContain("Nobody has spent anything yet");
  const unknown = await legion(["bill", "--by", "day"], { cwd });
  expect([unknown.exitCode, unknown.err]).toEqual([
    2,
    'legion: --by: expected root, agent, model, action, not "day"\n',
  ]);
  const both = await legion(["bill", "--csv", "--json"], { cwd });
  expect([both.exitCode, both.err]).toEqual([2, expect.stringContaining("choose one")]);
});
