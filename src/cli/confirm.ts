import type { Io } from "./command.ts";

/** Is there a person at a terminal who could be asked? */
export function canAsk({ stdin, stdout }: Pick<Io, "stdin" | "stdout">): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/** Asks the person at the terminal; anything but yes is no, and so is that there is none. */
export async function confirm(question: string, io: Io): Promise<boolean> {
  if (!canAsk(io)) return false;
  const { createInterface } = await import("node:readline/promises");
  const asking = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const left = new Promise<string>((resolve) => asking.once("close", () => resolve("")));
    const answer = await Promise.race([asking.question(`${question} [y/N] `), left]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    asking.close();
  }
}
