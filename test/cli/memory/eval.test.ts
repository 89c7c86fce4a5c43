// `legion memory eval`: data sets as they are published become memories, and what was asked is found in them, or is not.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readLocomo } from "../../../src/cli/memory/eval/locomo.ts";
import { readLongMemEval } from "../../../src/cli/memory/eval/longmemeval.ts";
import { scoresOf } from "../../../src/cli/memory/eval/scores.ts";
import { entriesFrom } from "../../../src/past/memory/recall.ts";
import { everythingIn } from "../../environment/workspace/trees.ts";
import { until } from "../../storage/redis/servers.ts";
import { createTempProject } from "../../temp-project.ts";
import { buildProgram, run, runToEnd } from "../program.ts";
import { inMemories, memory } from "./kit.ts";

const line = (session: number, n: number, text: string) => ({
  ...{ speaker: n % 2 === 1 ? "Mara" : "Jon", dia_id: `D${session}:${n}`, text },
});

/** As locomo10.json has it, with keys that nobody reads. */
const locomo = [
  {
    sample_id: "conv-1",
    conversation: {
      speaker_a: "Mara",
      speaker_b: "Jon",
      session_1_date_time: "1:56 pm on 8 May, 2023",
      session_1: [
        {
          ...line(1, 1, "The keel of my boat is made of oak."),
          img_url: ["https://x/y.jpg"],
          blip_caption: "a boat",
        },
        line(1, 2, "How long did that take?"),
        line(1, 3, "Eleven weeks, with the whole family."),
      ],
      session_2_date_time: "12:09 am on 13 September, 2023",
      session_2: [
        line(2, 1, "We sold the caravan."),
        line(2, 2, "For how much?"),
        line(2, 3, "Four thousand."),
      ],
      session_3_date_time: "later",
    },
    event_summary: {},
    observation: {},
    session_summary: {},
    qa: [
      { question: "Which wood is the keel of?", answer: "oak", evidence: ["D1:1"], category: 4 },
      { question: "What did the caravan bring?", answer: 4000, evidence: ["D2:1; D2:3"], category: 1 },
      { question: "Who is the mayor?", adversarial_answer: "Eve", evidence: ["D2:2"], category: 5 },
    ],
  },
];

/** As longmemeval_s.json has it. */
const longMemEval = [
  {
    question_id: "q1",
    question_type: "single-session-user",
    question: "When do I practise the oboe?",
    answer: "the oboe",
    question_date: "2023/05/30 (Tue) 22:10",
    haystack_dates: ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
    haystack_session_ids: ["answer_1", "sharegpt_2"],
    haystack_sessions: [
      [
        { role: "user", content: "I practise the oboe each evening.", has_answer: true },
        { role: "assistant", content: "That is a lovely instrument." },
        { role: "user", content: "" },
      ],
      [{ role: "user", content: "Name three rivers." }],
    ],
    answer_session_ids: ["answer_1"],
  },
  {
    question_id: "q2_abs",
    question_type: "knowledge-update",
    question: "What is my cat called?",
    answer: "not said",
    question_date: "2023/05/30 (Tue) 22:10",
    haystack_dates: ["2023/05/20 (Sat) 02:21"],
    haystack_session_ids: ["s"],
    haystack_sessions: [[{ role: "user", content: "I like cats." }]],
    answer_session_ids: ["s"],
  },
];

async function projectWith(set: unknown): Promise<string> {
  return createTempProject({ "set.json": JSON.stringify(set) });
}

/** Where its scribes and memories are. */
function folderOf(cwd: string): string {
  const kept = join(cwd, ".ai-legion/cache/recall");
  return join(kept, readdirSync(kept)[0]!);
}

const evaluating = ["eval", "set.json", "--model", "offline"];

describe("a data set", () => {
  it("is read as LoCoMo: sessions in their order with times, pictures in words, kinds by their numbers", () => {
    const [sample] = readLocomo(locomo) as Exclude<ReturnType<typeof readLocomo>, string>;
    expect(sample!.sessions.map(({ said, messages }) => [said, messages.length])).toEqual([
      ["2023-05-08T13:56:00.000Z", 3],
      ["2023-09-13T00:09:00.000Z", 3],
    ]);
    expect(sample!.sessions[0]!.messages[0]).toEqual({
      ...{ id: "D1:1", role: "user", speaker: "Mara" },
      content: "The keel of my boat is made of oak.\n[shares a picture: a boat]",
    });
    expect(sample!.questions.map(({ kind, evidence }) => [kind, [...evidence]])).toEqual([
      ["one session", ["D1:1"]],
      ["several sessions", ["D2:1", "D2:3"]],
      ["unanswerable", []],
    ]);
  });

  it("is read as LongMemEval: the turns that are marked, and what nothing answers", () => {
    const [first, second] = readLongMemEval(longMemEval) as Exclude<
      ReturnType<typeof readLongMemEval>,
      string
    >;
    expect(first!.sessions[0]).toMatchObject({ said: "2023-05-20T02:21:00.000Z", messages: [{}, {}] });
    expect(first!.questions).toMatchObject([{ kind: "single-session-user", evidence: new Set(["1:1"]) }]);
    expect(second!.questions).toMatchObject([{ kind: "unanswerable", evidence: new Set() }]);
  });

  it("scores by rank", () => {
    const found = [1, 2, 7, null].map((rank) => ({ kind: "k", rank }));
    expect(scoresOf(found)).toEqual([
      { kind: "k", asked: 4, hit1: 0.25, hit5: 0.5, hit10: 0.75, mrr: 0.411 },
    ]);
    expect(scoresOf([])).toEqual([]);
  });
});

describe("legion memory eval", () => {
  it("keeps a data set by a scribe, and shows what is found by kind of question and way", async () => {
    const cwd = await projectWith(locomo);
    const { out, err, exitCode } = await memory(cwd, evaluating);
    expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
    expect(out).toMatch(/^QUESTIONS ABOUT +FOUND IN +ASKED +HIT@1 +HIT@5 +HIT@10 +MRR\n/);
    expect(out).toMatch(/\none session +scribe +1 +1.00 +1.00 +1.00 +1.00\n/);
    expect(out).toMatch(/\nall +newest ten +2 /);
    expect(out).toContain("1 question without an answer in what was said left out");
    const place = folderOf(cwd);
    const entries = await inMemories(place, (memories) => entriesFrom(memories.read("recall/s1"), 1));
    expect(entries.map(({ said, speaker, thread }) => `${said} ${speaker} ${thread}`).slice(0, 4)).toEqual([
      "2023-05-08T13:56:00.000Z Mara session-1",
      "2023-05-08T13:56:01.000Z Jon session-1",
      "2023-05-08T13:56:02.000Z Mara session-1",
      "2023-09-13T00:09:00.000Z Mara session-2",
    ]);
    // The project's own memories are not touched.
    expect((await memory(cwd, ["--json"])).json).toEqual([]);
  });

  it("takes LongMemEval, tells programs, and asks nothing twice", async () => {
    const cwd = await projectWith(longMemEval);
    const { json } = await memory(cwd, [...evaluating, "--json"]);
    expect(json).toMatchObject([
      { kind: "single-session-user", way: "scribe", asked: 1, hit1: 1, mrr: 1 },
      { kind: "single-session-user", way: "raw text alone" },
      { kind: "single-session-user", way: "newest ten" },
    ]);
    const before = everythingIn(cwd);
    expect((await memory(cwd, [...evaluating, "--json"])).json).toEqual(json);
    expect(everythingIn(cwd)).toEqual(before);
  });

  it.each([
    ["no such file", ["eval", "none.json"], "there is no file `none.json`"],
    ["a folder", ["eval", "."], "`.` is a folder"],
    ["what is no JSON", ["eval", "text.txt"], "`text.txt` is not JSON"],
    ["JSON of another form", ["eval", "other.json"], "is neither LoCoMo (it: "],
    ["a set without questions", ["eval", "empty.json"], "has no questions about conversations"],
    ["no file", ["eval"], "expected `legion memory eval <file>`"],
    [
      "a model that costs, where nobody is asked",
      ["eval", "set.json", "--model", "anthropic/claude-sonnet-4-5"],
      "--yes says that it may",
    ],
    ["a model that is none", ["eval", "set.json", "--model", "nobody/x"], "nobody"],
  ])("refuses %s in one line, and writes nothing", async (_, argv, reason) => {
    const cwd = await createTempProject({
      ...{ "set.json": JSON.stringify(locomo), "text.txt": "Hello.", "other.json": '{"a": 1}' },
      "empty.json": JSON.stringify([{ conversation: {}, qa: [] }]),
    });
    const before = everythingIn(cwd);
    const { exitCode, err, out } = await memory(cwd, argv, { env: { ANTHROPIC_API_KEY: "none" } });
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain(reason);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(everythingIn(cwd)).toEqual(before);
  });
});

describe("an evaluation that is killed", () => {
  beforeAll(buildProgram, 120_000);

  it("goes on where it was, with the same command: each message is one entry", async () => {
    const turns = Array.from({ length: 60 }, (_, index) => line(1, index + 1, `Message ${index + 1}.`));
    const conversation = { ...locomo[0]!.conversation, session_1: turns };
    const cwd = await projectWith([{ ...locomo[0]!, conversation }]);
    const argv = ["memory", ...evaluating];
    for (const stored of [3, 20, 45]) {
      const node = run(argv, { cwd });
      await until(() => Promise.resolve(entriesIn(cwd) >= stored));
      node.child.kill("SIGKILL");
      await node.ended;
    }
    const { code, out } = await runToEnd(argv, { cwd });
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("one session") });
    const raw = await inMemories(folderOf(cwd), (memories) => entriesFrom(memories.read("recall/s1"), 1));
    const later = locomo[0]!.conversation.session_2.map(({ text }) => text);
    expect(raw.map((entry) => entry.raw)).toEqual([...turns.map(({ text }) => text), ...later]);
    // A line that was cut off is no result.
    const results = join(folderOf(cwd), "results.jsonl");
    writeFileSync(results, readFileSync(results, "utf8").slice(0, 60));
    expect((await runToEnd(argv, { cwd })).out).toBe(out);
  }, 120_000);
});

/** As they are on the disk. */
function entriesIn(cwd: string): number {
  try {
    const log = join(folderOf(cwd), ".ai-legion/memory/recall/s1/log");
    const texts = readdirSync(log).map((name) => readFileSync(join(log, name), "utf8"));
    return texts.join("").split('"kind":"entry"').length - 1;
  } catch {
    return 0;
  }
}
