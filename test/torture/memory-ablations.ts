// What is promised of long-term memory and of whoever listens, without one of its parts.

import type { Part } from "./question-ablations.ts";

export const MEMORY_WATERMARKS: Part = {
  part: "the watermarks of a memory",
  changes: [
    {
      file: "src/mail/memory-intake.ts",
      line: `if (standing === "duplicate") return { status: "duplicate" };`,
      instead: "",
    },
  ],
};

export const KEEPERS_SHARDS: Part = {
  part: "contexts count from the keeper of a memory alone",
  changes: [
    {
      file: "src/past/memory/standing.ts",
      line: "return by === CONTROL || by === keeper;",
      instead: "return by === CONTROL || by === keeper || keeper !== undefined;",
    },
  ],
};

export const OBSERVED_ONCE: Part = {
  part: "what was taken in of an observed log is known by its number",
  changes: [
    {
      file: "src/legion/observing/reading.ts",
      line: "      if (isSeen(marks, message, from)) continue;\n",
      instead: "",
    },
  ],
};

/** Whoever sends it again: the scribe would, without what keeps it from that. */
export const ONE_ENTRY: Part = {
  part: "a message is one entry of a memory, whoever enters it",
  changes: [
    ...OBSERVED_ONCE.changes,
    {
      file: "src/mail/memory-intake.ts",
      line: "isHeard(heard, mark) || isHeard(heardHere, mark);",
      instead: 'mark === "" && (isHeard(heard, mark) || isHeard(heardHere, mark));',
    },
  ],
};

export const READ_ON: Part = {
  part: "observed logs are read on from where the observer's own log says",
  changes: [
    {
      file: "src/legion/observing/sources.ts",
      line: "    foldObserved(marks, event);\n    ordered.see(event);",
      instead: "    ordered.see(event);",
    },
  ],
};

export const ONE_READER: Part = {
  part: "two who talk are read in one log",
  changes: [
    {
      file: "src/legion/observing/reading.ts",
      line: "return agents.find((one) => one === from || one === to) === agent;",
      instead: "return true;",
    },
  ],
};

export const COUNT_IN_THE_LOG: Part = {
  part: "the messages of a thread are counted by the log",
  changes: [
    {
      file: "src/legion/observing/sessions.ts",
      line: "const n = session.n + 1;",
      instead: `const n = (counts.get(thread) ?? 0) + 1;
  counts.set(thread, n);`,
    },
    {
      file: "src/legion/observing/sessions.ts",
      line: "const SILENCE_MS = 30 * 60_000;",
      instead: "const SILENCE_MS = 30 * 60_000; const counts = new Map<string, number>();",
    },
  ],
};
