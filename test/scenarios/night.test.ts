// What a person is told in the morning after the night of five. What is true of it stands in a table, and whoever looks is told exactly
// that: as it is run anew, and as a tape of it tells. With one fact changed, exactly the lines change that hang on it.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { reportSchema } from "../../src/legion/report/report.ts";
import { fromLine, toLine } from "../../src/storage/folder/line.ts";
import { legion } from "../cli/legion.ts";
import { temporaryFolder, type World } from "../world.ts";
import { FACTS, night, type Facts } from "./night.ts";

const MINUTES_MS = 120_000;
const TAPE = fileURLToPath(new URL("../fixtures/night", import.meta.url));
/** Of whoever recorded it; it was made up for that. */
const KEY = "5eed".repeat(16);
/** The tape is older than a day. */
const ALL = ["--since", "2026-01-01"];

/** What a person is told, a line for each fact, without what only measures it. */
async function morning(cwd: string): Promise<readonly string[]> {
  const report = reportSchema.parse((await legion(["report", "--json", ...ALL], { cwd })).json[0]);
  const ps = (await legion(["ps", "--json"], { cwd })).json as readonly { knot?: readonly string[] }[];
  const bill = (await legion(["bill", "--json"], { cwd })).json as readonly { kind: string; name: string }[];
  const { asked, odd, changed, commands, waiting } = report;
  const told = asked.items.toSorted((a, b) => a.root.localeCompare(b.root));
  return [
    ...told.map(({ text, state, answer }) => `${text} ${state}: ${answer?.text ?? "nothing"}`),
    ...told.flatMap(({ answer }) => answer?.receipts ?? []),
    ...odd.items.map(({ kind, agents, count }) => `${kind} of ${agents.join()} (${count})`),
    ...changed.items.map(({ path, does, agent, times }) => `${agent} ${does} ${path} (${times})`),
    ...commands.items.map(({ command, exit, agent, times }) => `${agent} ran ${command}: ${exit} (${times})`),
    ...waiting.items.map(({ kind, agent }) => `${kind} ${agent}`),
    ...bill.flatMap(({ kind, name }) => (kind === "waste" ? [`paid in vain: ${name}`] : [])),
    ...ps.flatMap(({ knot }) => (knot ? [`knot of ${knot.join()}`] : [])),
  ].map((line) => line.replace(/#(\d)\.\d+/g, "#$1.n"));
}

/** What is true of it, as far as logs tell. */
const TABLE = [
  "Mend the build. answered: The build passes.",
  "Run the tests. answered: All tests pass.",
  "Tidy up. answered: I tidied up.",
  "Merge it with agent 5. waiting: nothing",
  "Write the release notes, and tell me. unanswered: nothing",
  "(#1.n: proven; today stale, main.txt was written since, by Agent 3 (#3.n))",
  "(#2.n: failed, exit code 2)",
  "(unproven: no result that it cites was proven when it was sent)",
  "loop of 4 (2)",
  "knot of 4,5 (1)",
  "3 changed main.txt (1)",
  "1 created main.txt (2)",
  "5 created NOTES.md (1)",
  "2 ran exit 2: 2 (1)",
  "1 ran grep -q ok main.txt: 0 (1)",
  "1 ran grep -q ok main.txt: 1 (1)",
  "paid in vain: looped",
  "knot of 4,5",
];

/** A fact that is otherwise, the lines that are gone then, and those that are there instead. */
const CHANGED: readonly (readonly [Partial<Facts>, readonly string[], readonly string[]])[] = [
  [
    { repairs: false },
    [
      "(#1.n: proven; today stale, main.txt was written since, by Agent 3 (#3.n))",
      "1 created main.txt (2)",
      "1 ran grep -q ok main.txt: 0 (1)",
    ],
    [
      "(#1.n: failed, exit code 1)",
      "(unproven: no result that it cites was proven when it was sent)",
      "1 created main.txt (1)",
    ],
  ],
  [
    { tests: "true" },
    [
      "(#2.n: failed, exit code 2)",
      "(unproven: no result that it cites was proven when it was sent)",
      "2 ran exit 2: 2 (1)",
    ],
    ["(#2.n: proven; today stale, main.txt was written since, by Agent 3 (#3.n))", "2 ran true: 0 (1)"],
  ],
  [
    { writesOver: false },
    ["(#1.n: proven; today stale, main.txt was written since, by Agent 3 (#3.n))", "3 changed main.txt (1)"],
    ["(#1.n: proven; today stale, what a later command of Agent 2 (#2.n) wrote is not known: exit 2)"],
  ],
  [{ looks: 1 }, ["loop of 4 (2)", "paid in vain: looped"], []],
  [
    { answers: true },
    ["Merge it with agent 5. waiting: nothing", "knot of 4,5 (1)", "knot of 4,5"],
    ["Merge it with agent 5. unanswered: nothing"],
  ],
];

/** Twelve questions about the night, and what of the page answers each. */
const QUESTIONS: readonly (readonly [question: string, answer: RegExp])[] = [
  ["What was asked, and what came of it?", /5 asked: 1 never answered, 1 waits, 3 answered\./],
  ["Who worked, how much, and what did it cost?", /5 of 5 agents worked: \d+ steps, .*tokens, \$\d\.\d\d\./],
  ["Does anything wait for my word?", /Waits for you: nothing\./],
  ["What was forgotten?", /Write the release notes, and tell me\. never answered/],
  [
    "Does the build pass?",
    /Agent 1, \S+: The build passes\. \(#1\.\d+: proven; today stale, main\.txt was written since, by Agent 3/,
  ],
  ["What of that is unproven?", /All tests pass\. \(#2\.\d+: failed, exit code 2\) \(unproven/],
  [
    "Who waits for whom?",
    /Agent 4, Agent 5 wait for each other's answers.*: Agent 4 for Agent 5 .*Agent 5 for Agent 4/,
  ],
  ["What do I do about that?", /legion send 4 "\.\.\."/],
  ["Who went round in circles?", /Agent 4: 2 decisions in a circle/],
  ["Who changed main.txt last?", /Files that were changed \(3\) .*? main\.txt changed \S+ \S+ Agent 3/],
  ["Which commands failed?", /exit 2 exit 2 .* grep -q ok main\.txt exit 1/],
  [
    "How do I take back what was done for tidying up?",
    /Tidy up\. .* 1 file changed; to take back: legion undo '0>3#1' --dry-run/,
  ],
];

/** Gives what stands in the place of an event of that agent, as JSON. */
type Edit = readonly [agent: string, change: (line: string) => string];

const AGENTS = ["0", "1", "2", "3", "4", "5"];
const logIn = (home: string, agent: string): string => join(home, "agents", agent, "log/00000001-000.jsonl");

async function linesOf(path: string): Promise<readonly string[]> {
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.stringify(fromLine(Buffer.from(line))));
}

/** `RECORD=1` makes the tape anew, of a night of today: the log of each agent, without where it was. */
async function record({ project }: World): Promise<void> {
  for (const agent of AGENTS) {
    const lines = await linesOf(logIn(join(project, ".ai-legion"), agent));
    const told = lines.map((line) => line.replaceAll(project, "/project"));
    await writeFile(join(TAPE, `${agent}.jsonl`), told.map((line) => toLine(JSON.parse(line))).join(""));
  }
}

/** A project that the tape is the past of. */
async function openTape([of, change]: Edit = ["0", (line) => line]): Promise<string> {
  const project = await temporaryFolder();
  for (const agent of AGENTS) {
    const lines = await linesOf(join(TAPE, `${agent}.jsonl`));
    const edited = agent === of ? lines.map(change) : lines;
    const path = logIn(join(project, ".ai-legion"), agent);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, edited.map((line) => toLine(JSON.parse(line))).join(""));
  }
  return project;
}

/** What is otherwise on the tape, and the lines that are gone then, and come. */
const EDITED: readonly (readonly [string, Edit, readonly string[], readonly string[]])[] = [
  [
    "the tests of agent 2 failed otherwise",
    ["2", (line) => line.replace('"exitCode":2', '"exitCode":3')],
    ["(#2.n: failed, exit code 2)", "2 ran exit 2: 2 (1)"],
    ["(#2.n: failed, exit code 3)", "2 ran exit 2: 3 (1)"],
  ],
  [
    "agent 5 asks and needs no answer",
    ["5", (line) => line.replace('"root":"0>4#1","needsAnswer":true', '"root":"0>4#1"')],
    ["knot of 4,5 (1)", "knot of 4,5"],
    [],
  ],
  [
    "agent 4 saw something else when it looked again",
    ["4", (line) => line.replace(/^({"seq":8,.*"content":")/, "$1one more\\n")],
    ["loop of 4 (2)"],
    ["loop of 4 (1)"],
  ],
  [
    "agent 3 said something else",
    ["0", (line) => line.replace("I tidied up.", "All is tidy.")],
    ["Tidy up. answered: I tidied up."],
    ["Tidy up. answered: All is tidy."],
  ],
];

/** Lines of `some` that `others` has not, each as often as it is missing. */
function without(some: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return some.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

beforeAll(async () => {
  // Whoever recorded it looks at it.
  const own = join(process.env["XDG_CONFIG_HOME"]!, "ai-legion");
  await mkdir(own, { recursive: true, mode: 0o700 });
  await writeFile(join(own, "key"), `${KEY}\n`, { mode: 0o600 });
});

describe("the morning after a night of five", { timeout: MINUTES_MS }, () => {
  it("tells what is true of it, and nothing else", async () => {
    expect(await morning((await night(FACTS)).project)).toEqual(TABLE);
  });

  it.each(CHANGED)("with %j it tells of nothing else otherwise", async (fact, gone, come) => {
    const told = await morning((await night({ ...FACTS, ...fact })).project);
    expect({ gone: without(TABLE, told), come: without(told, TABLE) }).toEqual({ gone, come });
  });

  it("answers twelve questions on one page, of 80 columns", async () => {
    const { project: cwd } = await night(FACTS);
    const { out } = await legion(["report"], { cwd, columns: 80 });
    const page = out.replace(/\u001b\[\d+m/g, "").replace(/\s+/g, " ");
    expect(QUESTIONS.filter(([, answer]) => !answer.test(page)).map(([question]) => question)).toEqual([]);
    const bill = (await legion(["bill", "--json"], { cwd })).json as { kind: string; cost: number }[];
    const { cost } = bill.find(({ kind }) => kind === "total")!;
    expect(page).toContain(`tokens, $${cost.toFixed(2)}.`);
  });

  if (process.env["RECORD"]) it("is recorded anew", async () => record(await night(FACTS)));

  it("is told by its tape as it was when it ran", async () => {
    expect(await morning(await openTape())).toEqual(TABLE);
  });

  it.each(EDITED)("where on the tape %s, it tells of nothing else otherwise", async (_, edit, gone, come) => {
    const told = await morning(await openTape(edit));
    expect({ gone: without(TABLE, told), come: without(told, TABLE) }).toEqual({ gone, come });
  });
});
