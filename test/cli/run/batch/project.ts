// A project whose tasks are done by commands that leave a line each, whatever the model was asked before.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { legion, type Seen } from "../../legion.ts";
import { startOllama, type LocalServer } from "../../../local-servers.ts";
import { createTempProject } from "../../../temp-project.ts";

const HELPER = "---\ndescription: Helps\nmodules: [core, system]\nprotocol: tools\n---\n\nHelp.\n";

/** Of each call one line, and so many of them. */
export const stepScript = (steps: number): string => `n=$(cat done.txt 2>/dev/null | wc -l)
if [ "$n" -lt ${steps} ]; then echo "step $n" >> done.txt; echo more; else echo "ALL IS DONE"; fi
`;

export const linesFor = (...ids: readonly string[]): string =>
  ids.map((id) => `${JSON.stringify({ id, task: `Do ${id}.` })}\n`).join("");

/** @param files besides, or in place of those that there are */
export const batchProject = (files: Readonly<Record<string, string>> = {}): Promise<string> =>
  createTempProject({
    "agents/helper.md": HELPER,
    "tasks.jsonl": linesFor("a", "b", "c"),
    "step.sh": stepScript(2),
    ...files,
  });

/** A server whose models run `step.sh` until all is done, then say so. */
export async function startModels(): Promise<LocalServer & { readonly flags: readonly string[] }> {
  const server = await startOllama([{ id: "tester" }, { id: "other" }], {
    mind: (prompt) =>
      prompt.includes("ALL IS DONE")
        ? "Done."
        : { action: "executeCommand", parameters: { command: "sh step.sh" } },
  });
  const flags = ["--model", "openai/tester", "--base-url", server.baseUrl, "--agent", "helper", "--yolo"];
  return { ...server, flags };
}

export const jsonAt = async (...path: readonly string[]): Promise<unknown> =>
  JSON.parse(await readFile(join(...path), "utf8"));

/** What is in a folder, none of what is under it; nothing where it is not there. */
export const namesIn = (...path: readonly string[]): Promise<readonly string[]> =>
  readdir(join(...path)).catch(() => []);

/** The tasks of the batch in `out`, as it sums them up. */
export const summary = async (cwd: string) =>
  ((await jsonAt(cwd, "out/summary.json")) as { tasks: { id: string; status: string; agent: string }[] })
    .tasks;

export const statuses = async (cwd: string): Promise<readonly string[]> =>
  (await summary(cwd)).map(({ id, status }) => `${id} ${status}`);

/** What each agent did, as it lies in its workspace. */
export const done = (cwd: string, agent: string): Promise<string> =>
  readFile(join(cwd, "out/workspaces", agent, "done.txt"), "utf8");

/** A batch of `tasks.jsonl`, left in `out`, with models that are there. */
export interface TypedBatch {
  readonly argv: readonly string[];
  batch(cwd: string, ...more: readonly string[]): Promise<Pick<Seen, "exitCode" | "out" | "err">>;
}

export async function typeBatch(): Promise<TypedBatch> {
  const argv = ["batch", "tasks.jsonl", "--output", "out", ...(await startModels()).flags];
  return {
    argv,
    async batch(cwd, ...more) {
      const { exitCode, out, err } = await legion([...argv, ...more], { cwd });
      return { exitCode, out, err };
    },
  };
}
