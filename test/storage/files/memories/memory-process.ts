// A process that writes to a memory under a name of its own until it is killed or has written enough, and says what was accepted.

import { NO_SECRETS } from "../../../../src/base/redaction/redactor.ts";
import { createFileMemories } from "../../../../src/storage/files/memories/memories.ts";
import { openPersonFolder } from "../../../../src/storage/folder/person/folder.ts";
import { entry, ID } from "../../contract/memory/memory-letters.ts";

/** From where on it offers, and how many at once. */
export interface MemoryOrder {
  readonly project: string;
  readonly from: string;
  readonly first: number;
  readonly count: number;
  readonly atOnce: number;
}

const person = openPersonFolder(process.env);

async function obey({ project, from, first, count, atOnce }: MemoryOrder): Promise<void> {
  const memories = createFileMemories({ project, person, durability: "process", redactor: NO_SECRETS });
  for (let n = first; n < first + count; n += atOnce) {
    const offered = Array.from({ length: Math.min(atOnce, first + count - n) }, (_, index) => n + index);
    const offer = async (): Promise<void> => {
      await Promise.all(
        offered.map(async (number) => {
          await memories.receive(ID, entry(number, { from, content: textOf(from, number) }));
          process.send?.(number);
        }),
      );
    };
    // Others may have it for longer than one waits: then it is offered again, as by an outbox.
    while (
      !(await offer().then(
        () => true,
        () => false,
      ))
    );
  }
  await memories.close();
}

process.on("message", (order: MemoryOrder) => {
  void obey(order).then(() => process.disconnect());
});

function textOf(from: string, n: number): string {
  return `${from} ${n} ${"long ".repeat(n % 50)}`.trimEnd();
}
