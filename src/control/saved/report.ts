// A report as a page has it in itself: that alone, and nothing else of the record.

import type { Report } from "../../legion/report/report.ts";
import type { SavedLine } from "./record.ts";

export async function* reportLines(report: Report): AsyncGenerator<SavedLine> {
  yield { saved: report.until, only: { report: true } };
  // Whatever else the page asks for at first, of nobody.
  const at = report.until;
  const nobody = { agents: [], nodes: [], servers: [], knots: [], limits: null };
  yield { path: "/overview", answer: { at, whole: true, gone: [], away: null, ...nobody } };
  yield { path: "/inbox", answer: { messages: [] } };
  yield { path: "/questions", answer: { questions: [] } };
  yield { path: "/report", answer: report };
}
