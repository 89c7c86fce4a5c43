import { join } from "node:path";
import { openSearch } from "../../../src/storage/search/open.ts";
import { createSearchThread } from "../../../src/storage/search/thread.ts";
import { createTempProject } from "../../temp-project.ts";
import type { CreateSearch } from "./finding.ts";
import { describeHostileSearch } from "./hostile-contract.ts";
import { describeSearch } from "./search-contract.ts";
import { startSearchWorker } from "./start-worker.ts";

const thread = createSearchThread(startSearchWorker);
// While there is one search, the thread stays.
thread.enter();

const inFolder: CreateSearch = async (memory) =>
  openSearch({ folder: join(await createTempProject(), "cache/main"), memory, thread });

const inMemory: CreateSearch = async (memory) => {
  const project = await createTempProject({ file: "no folder" });
  return openSearch({ folder: join(project, "file/cache"), memory, thread });
};

describeSearch("in a folder", inFolder);
describeHostileSearch("in a folder", inFolder);
describeSearch("in memory, where nothing can be written", inMemory);
describeHostileSearch("in memory, where nothing can be written", inMemory);
