// The workshop team on a local server, from nothing but its URL: the real program, and Ollama or LM Studio as far as it can
// tell.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { buildProgram, runToEnd } from "../cli/program.ts";
import {
  startLmStudio,
  startOllama,
  type LocalModel,
  type LocalServer,
  type Mind,
  type ServerOptions,
} from "../local-servers.ts";
import { createTempProject } from "../temp-project.ts";
import { readEvents } from "../world.ts";

beforeAll(buildProgram, 120_000);

const NOOP = { action: "noop" };

/** A planner, a builder and a reviewer that do their work, each told by what it was shown where it stands. */
const workshop: Mind = (prompt) => {
  const [, me] = /\(agent id (\w+)\)/.exec(prompt) ?? [];
  const heard = (from: string, word: string): boolean =>
    new RegExp(`MESSAGE FROM ${from} ---\\s+[^-]*${word}`).test(unescaped(prompt));
  const did = (word: string): boolean => unescaped(prompt).includes(word);
  const write = (targetAgentId: string, message: string) => ({
    action: "sendMessage",
    parameters: { targetAgentId, message },
  });
  if (me === "planner") {
    if (heard("REVIEWER", "ACCEPTED"))
      return did("REPORT: GREETING.md") ? NOOP : write("0", "REPORT: GREETING.md says hello.");
    return did("PLAN: write") ? NOOP : write("builder", "PLAN: write GREETING.md");
  }
  if (me === "builder") {
    if (!heard("PLANNER", "PLAN")) return NOOP;
    if (!did("GREETING.md has been written") && !did("Hello from the workshop"))
      return { action: "writeFile", parameters: { path: "GREETING.md", content: "Hello from the workshop" } };
    return did("BUILT: ") ? NOOP : write("reviewer", "BUILT: GREETING.md");
  }
  if (!heard("BUILDER", "BUILT")) return NOOP;
  if (!did("Hello from the workshop")) return { action: "readFile", parameters: { path: "GREETING.md" } };
  return did("ACCEPTED: ") ? NOOP : write("planner", "ACCEPTED: it says hello");
};

function unescaped(prompt: string): string {
  return prompt.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}

const TEAM = ["planner", "builder", "reviewer"];
const ORDER = ["start", "--team", "workshop", "--task", "Greet whoever reads this folder.", "--until-idle"];

interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly project: string;
  readonly events: readonly Event[];
}

async function work(server: LocalServer, project?: string): Promise<Done> {
  const cwd = project ?? (await createTempProject({}));
  const env = { OPENAI_BASE_URL: server.baseUrl };
  const ended = await runToEnd([...ORDER, "--tick", "0"], { cwd, env });
  const logs = await Promise.all(TEAM.map((id) => readEvents(cwd, id)));
  return { ...ended, project: cwd, events: logs.flat() };
}

function protocolsIn(events: readonly Event[]): readonly string[] {
  return [...new Set(events.flatMap((event) => (event.kind === "decision" ? [event.protocol] : [])))];
}

type Start = (models: readonly LocalModel[], options?: ServerOptions) => Promise<LocalServer>;

const SERVERS: readonly (readonly [string, Start, string])[] = [
  ["Ollama", startOllama, "qwen3:8b"],
  ["LM Studio", startLmStudio, "qwen/qwen3-8b"],
];

describe.each(SERVERS)("the workshop team on %s", (_, start, id) => {
  const EMBEDDER: LocalModel = { id: "text-embedding-nomic-embed-text-v1.5", can: "embed" };

  it("does its work from nothing but the URL, free, on the only model that chats", async () => {
    const server = await start([{ id }, EMBEDDER], { mind: workshop });
    const { code, out, err, project, events } = await work(server);
    expect(err).toBe("");
    expect(code, out).toBe(0);
    expect(out.split("\n")[0]).toBe(
      `3 agents on openai/${id} at ${server.host} (its only model; OPENAI_BASE_URL is set)`,
    );
    expect(out).toContain("REPORT: GREETING.md says hello.");
    expect(out).toMatch(/3 agents in this run: \d+ steps, .* tokens, free\./);
    expect(await readFile(join(project, "GREETING.md"), "utf8")).toBe("Hello from the workshop");
    expect(protocolsIn(events)).toEqual(["tools"]);
    expect(server.requests.filter((request) => request === "GET /v1/models")).toHaveLength(1);
    expect(server.chats.every(({ model, stream }) => model === id && stream)).toBe(true);
  });

  it("does it as well where the server does not stream, which is found out and said once", async () => {
    for (const streaming of ["refuses", "ignores"] as const) {
      const server = await start([{ id }], { mind: workshop, streaming });
      const { code, out, events } = await work(server);
      expect(code, out).toBe(0);
      expect(out.split("does not stream")).toHaveLength(2);
      expect(server.chats.filter(({ stream }) => stream).length).toBeLessThanOrEqual(TEAM.length);
      // Asked again within the same reservation: there are no more prompts in the logs than decisions.
      const count = (kind: string): number => events.filter((event) => event.kind === kind).length;
      expect(count("prompted")).toBe(count("decision"));
    }
  });
});

describe("the workshop team on a model of Ollama's that calls no tools", () => {
  const MODEL: LocalModel = { id: "gemma3:4b", can: "text" };

  it("writes its actions as text from the first refusal on, says so once, and nobody is parked", async () => {
    const server = await startOllama([MODEL], { mind: workshop });
    const { code, out, project, events } = await work(server);
    expect(code, out).toBe(0);
    const remark = `openai/gemma3:4b at ${server.host} calls no tools: its agents write their actions as text.`;
    expect(out.split(remark)).toHaveLength(2);
    expect(out).not.toContain("parked");
    expect(out).toContain("REPORT: GREETING.md says hello.");
    expect(await readFile(join(project, "GREETING.md"), "utf8")).toBe("Hello from the workshop");
    expect(protocolsIn(events)).toEqual(["text"]);
    expect(server.chats.filter(({ tools }) => tools)).toHaveLength(1);

    const env = { OPENAI_BASE_URL: server.baseUrl };
    for (const id of TEAM) {
      const replayed = await runToEnd(["replay", id], { cwd: project, env });
      expect(replayed.out + replayed.err).toMatch(/identical\.\n$/);
      // What it would be shown next is what it was shown last: text.
      const prompt = await runToEnd(["prompt", id, "--json"], { cwd: project, env });
      expect(JSON.parse(prompt.out)).toMatchObject({ tools: [] });
    }
  });

  it("goes on after a restart, with what it did before shown as text, and can be replayed over it", async () => {
    const server = await startOllama([MODEL], { mind: workshop });
    const { project } = await work(server);
    const again = await work(server, project);
    expect(again.code, again.out).toBe(0);
    expect(protocolsIn(again.events)).toEqual(["text"]);
    expect(server.chats.filter(({ tools }) => tools)).toHaveLength(2);
    for (const id of TEAM) {
      const { out, err } = await runToEnd(["replay", id], { cwd: project });
      expect(out + err).toMatch(/identical\.\n$/);
    }
    const tape = join(project, "all.tape");
    await runToEnd(["export", "--all", tape], { cwd: project });
    const elsewhere = await createTempProject({});
    const legion = await runToEnd(
      ["start", "--team", "workshop", "--model", `replay:${tape}`, "--until-idle"],
      { cwd: elsewhere },
    );
    expect(legion.out + legion.err).toContain("identical.");
    expect(legion.code).toBe(0);
  });

  it("parks an agent whose definition demands tools, with the way out", async () => {
    const server = await startOllama([MODEL], { mind: workshop });
    const cwd = await createTempProject({ "agents/strict.md": "---\nprotocol: tools\n---\nWork.\n" });
    const env = { OPENAI_BASE_URL: server.baseUrl };
    const order = ["start", "--agent", "strict", "--task", "go", "--until-idle", "--tick", "0"];
    const { code, err } = await runToEnd(order, { cwd, env });
    expect(code).toBe(1);
    expect(err).toContain("does not support tools");
    expect(err).toContain("`protocol: auto` or `text`");
    expect(server.chats).toHaveLength(1);
  });
});
