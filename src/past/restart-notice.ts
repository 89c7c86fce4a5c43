import type { RestartDetails } from "./ledger.ts";
import type { NoticeEvent } from "../domain/event.ts";

/** Tells in the log of a run that has ended, or may end: without details, what it had begun is over. */
export function restartNotice(content: string, details?: RestartDetails): NoticeEvent {
  return { kind: "notice", reason: "restarted", content, ...(details && { details }) };
}
