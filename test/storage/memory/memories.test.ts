import { createProcessMemories } from "../../../src/storage/memory/memories.ts";
import { describeMemories } from "../contract/memory/memories-contract.ts";

describeMemories("the memory of a process", async () => {
  const memories = createProcessMemories();
  return {
    open: async () => memories,
    kill: () => Promise.resolve(),
    async bytes() {
      const texts: string[] = [];
      for (const id of await memories.known())
        for await (const event of memories.read(id).events()) texts.push(JSON.stringify(event));
      return texts.join("\n");
    },
  };
});
