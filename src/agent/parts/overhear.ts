// What a command prints, for whoever wants to show it meanwhile.

import type { CommandTrace } from "../../environment/environment.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";

/** The same trace, of which `listen` is told as well, in texts without secrets, until it throws. */
export function overhear(trace: CommandTrace, redactor: Redactor, listen?: (text: string) => void) {
  if (!listen) return { trace, settle: () => undefined };
  const decoder = new TextDecoder();
  const pieces = redactor.pieces();
  let tell: typeof listen | undefined = listen;
  const pass = (text: string): void => {
    try {
      if (text !== "") tell?.(text);
    } catch {
      // It is the module's own, and the command goes on without it.
      tell = undefined;
    }
  };
  const print = (chunk: Uint8Array): void => {
    trace.print(chunk);
    pass(pieces.add(decoder.decode(chunk, { stream: true })));
  };
  return { trace: { ...trace, print }, settle: () => pass(pieces.add(decoder.decode()) + pieces.end()) };
}
