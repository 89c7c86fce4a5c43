import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openPersonFolder } from "../../../../src/storage/folder/person/folder.ts";
import { createFileMemories } from "../../../../src/storage/files/memories/memories.ts";
import { NO_SECRETS } from "../../../../src/base/redaction/redactor.ts";
import { createTempProject } from "../../../temp-project.ts";
import { describeMemories, type MemoriesPlace } from "../../contract/memories-contract.ts";

export async function filePlace(project?: string): Promise<MemoriesPlace & { readonly project: string }> {
  const folder = project ?? (await createTempProject());
  const person = openPersonFolder(process.env);
  return {
    project: folder,
    async open() {
      const order = { project: folder, person, durability: "process", redactor: NO_SECRETS } as const;
      const memories = createFileMemories(order);
      onTestFinished(() => memories.close());
      return memories;
    },
    // What it holds in this process is lost; its lock is free, as that of a process that is gone.
    kill: (memories) => memories.close(),
    async bytes() {
      const root = join(folder, ".ai-legion");
      const names = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      const files = names.filter((name) => name.isFile() && !name.parentPath.endsWith("lock"));
      const texts = files.map((name) => readFile(join(name.parentPath, name.name), "latin1"));
      return (await Promise.all(texts)).join("\n");
    },
  };
}

describeMemories("files", () => filePlace());
