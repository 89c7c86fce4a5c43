// A batch at work, and the person at another terminal.

import { expect, it } from "vitest";
import { legion, type Seen } from "../../legion.ts";
import { batchProject, startModels, statuses, stepScript } from "./project.ts";

interface Watched {
  readonly cwd: string;
  readonly ended: Promise<Seen>;
  /** Resolves with what is on its standard error once `holds` is true of that; rejects if it ends without. */
  until(holds: (err: string) => boolean): Promise<string>;
  /** Resolves with the id of the first question of an agent. */
  asked(agent: string): Promise<string>;
  /** The ids of the questions that wait, as another terminal sees them. */
  waiting(): Promise<readonly string[]>;
  /** What another terminal sees. */
  of(...argv: readonly string[]): Promise<Seen>;
}

/** One at work, whose questions wait for somebody. */
async function startBatch(more: readonly string[], columns?: number): Promise<Watched> {
  const cwd = await batchProject({
    ".ai-legion/config.yaml": "environment: local\n",
    "step.sh": stepScript(0),
  });
  const flags = (await startModels()).flags.filter((flag) => flag !== "--yolo");
  const looks = new Set<() => void>();
  let shown = "";
  const onError = (err: string): void => {
    shown = err;
    for (const look of looks) look();
  };
  const argv = [
    "batch",
    "tasks.jsonl",
    "--output",
    "out",
    ...flags,
    "--approvals",
    "wait",
    "--trust",
    ...more,
  ];
  const ended = legion(argv, { cwd, onError, ...(columns !== undefined && { columns }) });
  const until: Watched["until"] = (holds) =>
    new Promise((resolve, reject) => {
      const look = (): void => void (holds(shown) && resolve(shown));
      looks.add(look);
      look();
      void ended.then(({ err }) => reject(new Error(`it ended without:\n${err}`)));
    });
  const questionOf = (agent: string, err: string): string | undefined =>
    new RegExp(`^legion: ${agent} asks (${agent}\\.\\d+)`, "m").exec(err)?.[1];
  const of: Watched["of"] = (...argv) => legion([...argv, "--run", "./out"], { cwd });
  return {
    ...{ cwd, ended, until, of },
    async waiting() {
      const { json } = await of("approvals", "--json");
      return json.map((question) => (question as { id: string }).id).toSorted();
    },
    asked: async (agent) => questionOf(agent, await until((err) => questionOf(agent, err) !== undefined))!,
  };
}

it("goes on with other tasks while one waits for an answer, which may come from another terminal", async () => {
  const { cwd, ended, until, asked, waiting, of } = await startBatch(["-w", "2"]);
  const [a, b] = await Promise.all([asked("a"), asked("b")]);
  expect(await waiting()).toEqual([a, b]);
  expect((await of("approve", b)).exitCode).toBe(0);
  await until((err) => err.includes("b: Submitted"));
  expect((await of("approve", await asked("c"))).exitCode).toBe(0);
  await until((err) => err.includes("c: Submitted"));
  expect(await waiting()).toEqual([a]);
  await of("approve", a);
  expect((await ended).exitCode).toBe(0);
  expect(await statuses(cwd)).toEqual(["a Submitted", "b Submitted", "c Submitted"]);
});

it("ends the task that a person stops, and works at the next; the same command goes on with it", async () => {
  const { cwd, ended, until, asked, of } = await startBatch(["-w", "1"]);
  await asked("a");
  expect((await of("abort", "a")).exitCode).toBe(0);
  await until((err) => err.includes("a: UserInterruption"));
  for (const id of ["b", "c"]) expect((await of("approve", await asked(id))).exitCode).toBe(0);
  const { exitCode, out } = await ended;
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: expect.stringMatching(/a +UserInterruption/) });
  expect(await statuses(cwd)).toEqual(["a UserInterruption", "b Submitted", "c Submitted"]);
  const { flags } = await startModels();
  const again = await legion(["batch", "tasks.jsonl", "--output", "out", ...flags, "--trust"], { cwd });
  expect(again.err).toMatch(/^a: Submitted/m);
  expect(again.exitCode).toBe(0);
  expect(await statuses(cwd)).toEqual(["a Submitted", "b Submitted", "c Submitted"]);
});

it("says on a terminal how many of those at work wait for the person", async () => {
  const { ended, until, asked, of } = await startBatch(["-w", "2"], 80);
  const questions = await Promise.all([asked("a"), asked("b")]);
  await until((err) => err.includes("0 of 3 done · 2 at work · 2 wait for you · "));
  for (const question of questions) await of("approve", question);
  await of("approve", await asked("c"));
  expect((await ended).exitCode).toBe(0);
});
