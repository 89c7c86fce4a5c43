import type { Change } from "./program.ts";

/** The runtime without its second delivery: nobody sends what an earlier process committed and did not deliver. */
export const SECOND_DELIVERY: readonly Change[] = [
  {
    file: "src/mail/outbox.ts",
    line: "let open = ledger.undelivered;",
    instead: "const since = ledger.last; let open = ledger.undelivered;",
  },
  {
    file: "src/mail/outbox.ts",
    line: "filter((send) => !states.has(send))",
    instead: "filter((send) => send.seq > since && !states.has(send))",
  },
  {
    file: "src/mail/outbox.ts",
    line: `filter((send) => states.get(send) !== "arrived")`,
    instead: `filter((send) => send.seq > since && states.get(send) !== "arrived")`,
  },
];
