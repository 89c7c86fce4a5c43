import type { ConsoleIo } from "../console/editor/input.ts";

/** Is there a person at a terminal who could be asked? */
export function canAsk({ stdin, stdout }: Pick<ConsoleIo, "stdin" | "stdout">): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/** What the person at the terminal answers, without spaces around it, in lower case; empty if they leave, or nobody is there. */
export async function askPerson(question: string, io: Pick<ConsoleIo, "stdin" | "stdout">): Promise<string> {
  if (!canAsk(io)) return "";
  const { createInterface } = await import("node:readline");
  const reader = createInterface({ input: io.stdin, output: io.stdout });
  try {
    const answer = await new Promise<string>((resolve) => {
      const left = (): void => {
        // Whoever leaves has ended no line, and what is said next begins a new one.
        io.stdout.write("\n");
        resolve("");
      };
      reader.on("close", left);
      reader.on("SIGINT", () => reader.close());
      reader.question(question, (typed) => {
        // It has listeners of its own, without which it would go on to echo what is typed.
        reader.off("close", left);
        resolve(typed);
      });
    });
    return answer.trim().toLowerCase();
  } finally {
    reader.close();
  }
}

/** Anything but yes is no, and so is that nobody can be asked. */
export async function confirm(question: string, io: Pick<ConsoleIo, "stdin" | "stdout">): Promise<boolean> {
  return /^y(es)?$/.test(await askPerson(`${question} [y/N] `, io));
}
