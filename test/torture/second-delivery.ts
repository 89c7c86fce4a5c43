import type { Change } from "./program.ts";

/** The runtime without its second delivery: nobody sends what an earlier process committed and did not deliver. */
export const SECOND_DELIVERY: readonly Change[] = [
  {
    file: "src/mail/outbox.ts",
    line: "const begun = new WeakSet<Send>();",
    instead: "const since = ledger.last; const begun = new WeakSet<Send>();",
  },
  {
    file: "src/mail/outbox.ts",
    line: "filter((send) => !begun.has(send) && mayGo(send))",
    instead: "filter((send) => send.seq > since && !begun.has(send) && mayGo(send))",
  },
  {
    file: "src/mail/outbox.ts",
    line: "filter((send) => !arrived.has(send))",
    instead: "filter((send) => send.seq > since && !arrived.has(send))",
  },
];
