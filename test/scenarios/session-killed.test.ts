// A session of two tasks, to create a file and then to change it, whose process is killed with SIGKILL at each moment of either
// task, and between them. Its model is a server that judges by the conversation alone, as a provider does.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Event, EventOf } from "../../src/domain/event/event.ts";
import { buildProgram, run, runToEnd } from "../cli/program.ts";
import { createTempProject } from "../temp-project.ts";
import { callsTo, startAskedModel, type WireMessage } from "./asked-model.ts";
import { watchLogs } from "./log-watch.ts";

beforeAll(buildProgram, 120_000);

const CREATE = "create hello.py";
const CHANGE = "add a docstring to hello.py";
const CREATED = 'print("Hello")\n';
const DOCSTRING = '"""Says hello."""';
const CHANGED = `${DOCSTRING}\n${CREATED}`;
const AGENT = "---\ndescription: Helps\nmodules: [core, system]\nprotocol: tools\n---\n\nHelp.\n";

/** What is still to be done, as far as the conversation tells; what may have happened is looked at before it is done again. */
function nextStep(messages: readonly WireMessage[]): object {
  const said = messages.map(({ content }) => content ?? "");
  const has = (text: string): boolean => said.some((each) => each.includes(text));
  // Also where a next task stands after it.
  const came = messages.findLast(({ role }) => role === "tool")?.content;
  const isUnknown = came?.includes("outcome is unknown") ?? false;
  if (!has("Wrote to hello.py.")) return callsTo(["writeFile", { path: "hello.py", content: CREATED }]);
  if (!has(CHANGE)) return { content: "It is created." };
  if (isUnknown) return callsTo(["readFile", { path: "hello.py" }]);
  if (has("Edited hello.py.") || has(DOCSTRING)) return { content: "It is changed." };
  return callsTo(["editFile", { path: "hello.py", oldText: CREATED, newText: CHANGED }]);
}

async function openSession() {
  const cwd = await createTempProject({ "agents/helper.md": AGENT });
  const model = await startAskedModel(nextStep);
  const argv = (task: string): readonly string[] => [
    ...["run", "--session", "hello", "--agent", "helper", "--model", "openai/x", "--limits", "none"],
    ...["--base-url", model.url, "--json", task],
  ];
  const env = { OPENAI_API_KEY: "none" };
  return {
    cwd,
    home: join(cwd, ".ai-legion/runs/hello"),
    model: model.state,
    begin: (task: string) => run(argv(task), { cwd, env, stdin: "" }),
    /** Resolves with the answer. */
    async finish(task: string): Promise<unknown> {
      const { code, out, err } = await runToEnd(argv(task), { cwd, env });
      expect({ code, err: err.includes("legion:") }).toEqual({ code: 0, err: false });
      return (JSON.parse(out) as { readonly submission: unknown }).submission;
    },
    async events(): Promise<readonly Event[]> {
      const { out } = await runToEnd(["log", "1", "--run", "hello", "--json"], { cwd });
      return out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Event);
    },
  };
}

/** Whose log says what when the moment has come; `asked`: its model is asked, and says nothing; `unsaid`: its log is behind what it did. */
const MOMENTS = {
  "has been given it": ["0", '"reason":"said"'],
  "has taken it in": ["1", '"kind":"message"'],
  "waits for its model": "asked",
  "has decided what to do": ["1", '"kind":"decision"'],
  "has done it, unsaid": ["1", '"kind":"decision"', "unsaid"],
  "has done it": ["1", '"kind":"result"'],
  "has answered": ["1", '"stop":"end"'],
  "has ended": ["1", '"reason":"ended"'],
} as const;

const kinds = <K extends Event["kind"]>(events: readonly Event[], kind: K): EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => event.kind === kind);

describe("a session that is killed", () => {
  const rows = [CREATE, CHANGE].flatMap((task) =>
    Object.entries(MOMENTS).map(([moment, sign]) => ({ task, moment, sign })),
  );

  it.each(rows)(
    "once its agent, told to $task, $moment, goes on with the next task (A2, A3, A6)",
    async ({ task, sign }) => {
      const session = await openSession();
      const { model, begin, finish, cwd } = session;
      if (task === CHANGE) expect(await finish(CREATE)).toBe("It is created.");
      model.isSilent = sign === "asked";
      const asked = new Promise<void>((resolve) => (model.onAsked = resolve));
      const log = watchLogs(session.home);
      const killed = begin(task);
      await (sign === "asked" ? asked : log.until(sign[0], sign[1]));
      killed.child.kill("SIGKILL");
      expect((await killed.ended).code).toBeNull();
      model.isSilent = false;
      if (sign[2] === "unsaid") await writeFile(join(cwd, "hello.py"), task === CREATE ? CREATED : CHANGED);

      if (task === CREATE) await finish(`${CREATE}, if you have not`);
      expect(await finish(`${CHANGE}, if you have not`)).toBe("It is changed.");

      expect(await readFile(join(cwd, "hello.py"), "utf8")).toBe(CHANGED);
      const events = await session.events();
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      const asks = kinds(events, "decision").flatMap((decision) => decision.calls.map(({ id }) => id));
      expect(kinds(events, "result").map(({ call }) => call)).toEqual(asks);
      const mail = kinds(events, "message").map(({ message }) => message.id);
      expect(mail).toEqual(mail.map((_, index) => `0>1#${index + 1}`));
      const changes = kinds(events, "result").filter(({ content }) => content.includes("Edited hello.py."));
      expect(changes.length).toBeLessThanOrEqual(1);
    },
  );

  it("between its tasks knows what was said before", async () => {
    const { begin, finish, cwd, events } = await openSession();
    const killed = begin(CREATE);
    await killed.until('"kind":"end"');
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(await finish(CHANGE)).toBe("It is changed.");
    expect(await readFile(join(cwd, "hello.py"), "utf8")).toBe(CHANGED);
    expect(
      kinds(await events(), "decision").flatMap(({ calls }) => calls.map(({ action }) => action)),
    ).toEqual(["writeFile", "editFile"]);
  });
});
