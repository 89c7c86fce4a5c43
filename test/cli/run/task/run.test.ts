import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createScriptedModel } from "../../../../src/model/scripted/scripted.ts";
import { openProgram } from "../../../library/programs.ts";
import { openAiChunks, useLoopback } from "../../../model/loopback.ts";
import { legion } from "../../legion.ts";
import { createTempProject } from "../../../temp-project.ts";
import { byHand } from "../../../world.ts";
import { DENIED, HELP, projectWith, runsIn } from "./project.ts";

describe("legion run", () => {
  const loopback = useLoopback();

  it("has one task done, prints the answer and nothing else, and leaves a run behind", async () => {
    const cwd = await projectWith();
    const { out, err, exitCode } = await legion(["run", ...HELP, "note it"], { cwd });
    expect({ out, exitCode }).toEqual({ out: "It is written down.\n", exitCode: 0 });
    expect(err).toMatch(/^Submitted · 2 steps · free · \S+ · \S+\n$/);
    const [name, ...others] = await runsIn(cwd);
    expect(others).toEqual([]);
    const note = join(cwd, ".ai-legion/runs", name!, "agents/1/notes/plan.txt");
    expect(await readFile(note, "utf8")).toBe("walk");
    expect((await legion(["runs", "--json"], { cwd })).json).toMatchObject([
      { run: name, agent: "helper", model: "scripted:script.yaml", state: "Submitted", steps: 2 },
    ]);
    expect(await readdir(join(cwd, ".ai-legion"))).not.toContain("agents");
  });

  it("shows on a terminal, on standard error, what happens on the way", async () => {
    const cwd = await projectWith();
    const { out, err } = await legion(["run", ...HELP, "--session", "garden", "note it"], {
      cwd,
      columns: 80,
      env: { NO_COLOR: "1" },
    });
    // There it stands already.
    expect(out).toBe("");
    expect(err.match(/It is written down\./g)).toHaveLength(1);
    for (const shown of [
      "1 agent on scripted:script.yaml",
      "▸ writeNote title: plan",
      "See more with: legion inbox, legion notes 1, legion log 1; each with --run garden",
      "Submitted · 2 steps · free · ",
    ])
      expect(err.replace(/\s+/g, " ")).toContain(shown);
  });

  it("shows on a terminal, at the bottom, what the agent is at", async () => {
    const cwd = await projectWith();
    const shown = byHand();
    const answer = openAiChunks([
      { choices: [{ index: 0, delta: { role: "assistant", content: "Done." }, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } },
    ]);
    // It does not answer before that is seen.
    loopback.server.reply((response) => void shown.promise.then(() => answer(response)));
    const { exitCode } = await legion(["run", ...DENIED, "--model", "openai/m", "x"], {
      ...{ cwd, columns: 80 },
      env: { NO_COLOR: "1", OPENAI_BASE_URL: `${loopback.server.url}/v1`, OPENAI_API_KEY: "none" },
      onError: (err) => {
        if (/Agent 1 {2}thinking /.test(err)) shown.resolve();
      },
    });
    expect(exitCode).toBe(0);
  });

  it("gives commands on a terminal that can be typed as they are", async () => {
    const cwd = await projectWith("- error: { code: MODEL_REFUSED, message: no key }\n");
    const name = "2026-11-23-101500-a1b2c3";
    const { err } = await legion(["run", ...HELP, "--session", name, "note it"], {
      cwd,
      columns: 84,
      env: { NO_COLOR: "1" },
    });
    expect(err.replace(/\s+/g, " ")).toContain(`! parked: no key (legion run --resume ${name})`);
    expect(err).not.toContain("legion resume");
    expect(err).toMatch(new RegExp(`^See more with: [^]*each with\\s--run ${name}$`, "m"));
  });

  it("tells programs what came of it as one object", async () => {
    const cwd = await projectWith();
    const argv = ["run", ...HELP, "--json", "--session", "garden", "note it"];
    const { json, exitCode } = await legion(argv, { cwd });
    expect(exitCode).toBe(0);
    expect(json).toEqual([
      {
        kind: "end",
        run: "garden",
        end: "Submitted",
        submission: "It is written down.",
        answer: "It is written down.",
        reason: "",
        agents: 1,
        steps: 2,
        tokens: expect.any(Number),
        cost: 0,
        timeMs: expect.any(Number),
        trajectory: join(cwd, ".ai-legion/runs/garden/trajectory.json"),
      },
    ]);
  });

  it("counts everybody who worked for it, and limits in steps to its own agent", async () => {
    const cwd = await projectWith("- Summed up.\n");
    const asking = {
      calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: "Look." } }],
    };
    const team = await openProgram({ project: cwd, session: "team" });
    const [modules, limits] = [["core", "messaging"], { time: "none" }] as const;
    const lead = createScriptedModel([asking, "It is there."], { tools: true });
    const first = await team.spawn({ agent: "helper", modules, limits, model: lead });
    await team.spawn({ agent: "helper", modules, limits, model: createScriptedModel([]) });
    await first.prompt("Find the key.");
    await team.runtime.untilIdle(new AbortController().signal);
    const { steps } = team.runtime.budget.spent();
    await team.stop();
    const argv = ["run", ...HELP.slice(2), "--session", "team"];
    const said = await legion([...argv, "--json", "--limits", "steps=3", "Sum up."], { cwd });
    expect(said.json).toMatchObject([{ end: "Submitted", agents: 2, steps: steps + 1 }]);
    expect(said.err).toContain(`Submitted · 2 agents · ${steps + 1} steps · free · `);
    const again = await legion([...argv, "--limits", "steps=3", "Once more."], { cwd });
    expect(again.err).toContain("LimitsExceeded · 2 agents · ");
    const more = ["run", "--resume", "team", ...HELP.slice(2), "--limits", "steps=+1", "--json"];
    expect((await legion(more, { cwd })).json).toMatchObject([
      { end: "Submitted", agents: 2, steps: steps + 2 },
    ]);
  });

  it.each([["-"], []])("reads the task from standard input: %j", async (...words) => {
    const cwd = await projectWith("- Read.\n");
    const argv = ["run", ...HELP, ...words];
    expect(await legion(argv, { cwd, stdin: "a task\nof two lines\n" })).toMatchObject({
      exitCode: 0,
      out: "Read.\n",
    });
    const [name = ""] = await runsIn(cwd);
    const { out } = await legion(["log", "1", "--json", "--run", name], { cwd });
    expect(out).toContain(JSON.stringify("a task\nof two lines"));
  });

  it.each([
    {
      where: "it rests without a word",
      script: "- calls: [{ action: noop }]\n",
      end: "Error",
      why: "the agent rests without an answer",
    },
    {
      where: "its model refuses",
      script: "- error: { code: MODEL_REFUSED, message: no key }\n",
      end: "Error",
      why: "no key",
    },
    {
      where: "a limit is reached",
      limits: "steps=1",
      end: "LimitsExceeded",
      why: "this agent may make 1 model call",
      more: " --limits steps=+50",
    },
  ])(
    "ends with 1, why, and what has it go on where $where",
    async ({ script, limits = "none", end, why, more = "" }) => {
      const cwd = await projectWith(script);
      const argv = ["run", ...HELP, "--limits", limits, "--session", "garden", "note it"];
      const { exitCode, out, err } = await legion(argv, { cwd });
      expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
      const [first, last, ...others] = err.trimEnd().split("\n");
      expect(first).toBe(`legion: ${why}; legion run --resume garden${more} goes on`);
      expect(last).toMatch(new RegExp(`^${end} · \\d steps? · free · \\S+ · \\S+$`));
      expect(others).toEqual([]);
      const { json } = await legion([...argv, "--json"], { cwd });
      expect(json).toMatchObject([
        { kind: "end", end, submission: "", reason: expect.stringContaining(why) },
      ]);
    },
  );

  it.each(["day", "month"])(
    "says when it can go on where the person's own limit for a %s is reached",
    async (period) => {
      const cwd = await projectWith();
      const config = await createTempProject({
        "ai-legion/config.yaml": `limits: { ${period}: { steps: 1 } }\n`,
      });
      const env = { XDG_CONFIG_HOME: config };
      const argv = ["run", ...HELP, "--session", "garden", "note it"];
      const { exitCode, err } = await legion(argv, { cwd, env });
      expect(exitCode).toBe(1);
      const why = `legion: your agents in all projects may make 1 model call a ${period}, as your own config\\.yaml says, .*`;
      const way =
        "legion run --resume garden goes on from \\d{4}-\\d\\d-\\d\\d on, or once you raise that limit there";
      expect(err).toMatch(new RegExp(`^${why}; ${way}\nLimitsExceeded · .*\n$`));
      await writeFile(join(config, "ai-legion/config.yaml"), `limits: { ${period}: { steps: 3 } }\n`);
      expect((await legion(["run", "--resume", "garden", ...DENIED], { cwd, env })).exitCode).toBe(0);
    },
  );

  it("prints a partial answer nowhere but in the end that programs are told", async () => {
    const cwd = await projectWith(
      "- calls: [{ action: sendMessage, parameters: { targetAgentId: control, message: Soon. } }]\n",
    );
    const argv = ["run", ...HELP, "--limits", "steps=1", "--session", "garden", "note it"];
    expect(await legion(argv, { cwd })).toMatchObject({ exitCode: 1, out: "" });
  });

  it("does what has to be asked only where somebody may answer, and says what would allow it", async () => {
    const script =
      "- calls: [{ action: writeFile, parameters: { path: a.txt, content: a } }]\n- It was not allowed.\n";
    const cwd = await projectWith(script);
    const { exitCode, err } = await legion(["run", ...HELP, "--policy", "ask write **", "x"], { cwd });
    expect(exitCode).toBe(0);
    expect(err).toMatch(
      /^legion: Agent 1 may not call writeFile: .*--approvals wait, and an answer then\.\nSubmitted · .*\n$/,
    );
    expect(await readdir(cwd)).not.toContain("a.txt");
  });

  it("says once through a pipe what its model makes it wait for", async () => {
    const busy = "- error: { code: MODEL_BUSY, message: nobody answers }\n";
    const cwd = await projectWith(`${busy}- At last.\n`);
    expect(await legion(["run", ...HELP, "x"], { cwd })).toMatchObject({
      exitCode: 0,
      out: "At last.\n",
      err: expect.stringMatching(
        /^legion: Agent 1 waits for its model, which is asked again for 10m at most \(Ctrl-C stops the run\): nobody answers\nSubmitted · /,
      ),
    });
  });

  it("asks the server at the base URL that was typed, whatever else says where the provider is", async () => {
    const cwd = await projectWith();
    loopback.server.reply(
      openAiChunks([
        {
          choices: [
            { index: 0, delta: { role: "assistant", content: "From there." }, finish_reason: "stop" },
          ],
        },
        { choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } },
      ]),
    );
    const argv = [
      "run",
      ...DENIED,
      "--agent",
      "helper",
      "--model",
      "openai/x",
      "--base-url",
      `${loopback.server.url}/v1`,
    ];
    const env = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1", OPENAI_API_KEY: "none" };
    expect(await legion([...argv, "x"], { cwd, env })).toMatchObject({ exitCode: 0, out: "From there.\n" });
    expect(loopback.server.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
  });
});
