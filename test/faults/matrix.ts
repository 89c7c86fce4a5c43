// The faults that a legion on one machine has to survive, each with the tests that cause it, or the reason why there is
// none. What is done to it on purpose is in attacks.ts; what needs Redis, MCP or the dashboard is not here.

export interface Fault {
  readonly fault: string;
  /** `<file in test/>: <title>`, as the title is written there, at least its beginning. */
  readonly tests?: readonly string[];
  /** Why there is no test, or what the tests leave out. */
  readonly why?: string;
}

export const FAULTS: readonly Fault[] = [
  {
    fault: "the runtime is killed at any moment",
    tests: ["torture/torture.test.ts: a legion that is killed ${KILLS} times loses no message"],
  },
  {
    fault: "a crash at each single call of the disk interface",
    tests: [
      "faults/crash.test.ts: loses nothing and does nothing twice after a %s at any call to the disk",
      "faults/crash.test.ts: gets through crashes while it recovers from crashes, at whatever pace the disk works",
    ],
  },
  {
    fault: "a crash, or an error, at each single call that a long-term memory makes to the disk",
    tests: [
      "faults/memory.test.ts: loses nothing, holds nothing twice and keeps nothing that was forgotten after a %s at any call to the disk",
      "faults/memory.test.ts: keeps all of that where it stops again and again, and where the disk fails before it does",
      "faults/memory.test.ts: at one call goes on by itself, and keeps all of that, also where the power is cut after it",
    ],
  },
  {
    fault: "several processes that write to one memory, killed, stopped and taken over",
    tests: [
      "storage/files/memories/processes.test.ts: has each entry once, in its sender's order and with its words, also of those that were killed (M5)",
      "storage/files/memories/processes.test.ts: is let go of by one that always has more to write",
      "storage/files/memories/going-on.test.ts: loses nothing that was acknowledged where that one %s (M5)",
    ],
  },
  {
    fault: "a memory whose log, texts, standing or context is damaged, deleted, a link, or somebody else's",
    tests: [
      "storage/files/memories/damage.test.ts: is read without a wrong word, whatever bit is turned in its log or its texts",
      "storage/files/memories/damage.test.ts: reads and changes nothing else where %s is in their place",
      "storage/files/memories/context-file.test.ts: as a link is in its place, leaves the link and what it leads to alone",
      "storage/files/memories/foreign.test.ts: is foreign where there is a context beside a log in which nothing is",
    ],
  },
  {
    fault: "a module that throws, or takes the whole process down",
    tests: [
      "agent/actor.test.ts: reports an action that threw to the agent (A4)",
      "legion/supervision/supervisor-crash.test.ts: is halted after five restarts within ten minutes, and Control is told; others go on",
      "agent/poison.test.ts: is parked also where it does what it was told to check, again and again; Control is told, others go on",
    ],
  },
  {
    fault: "a process that is stopped for long and goes on",
    tests: [
      "storage/folder/lock.test.ts: stays with a process that is only stopped",
      "storage/files/journal/segments.test.ts: has every record that either acknowledged, once, and none that came too late (J1, J2)",
    ],
  },
  {
    fault: "an event loop that is blocked for 30 seconds",
    tests: [
      "storage/folder/lock.test.ts: stays with a process of another container as long as that touches it",
      "storage/folder/lock.test.ts: is lost when another takes over, and when its folder is deleted",
    ],
    why: "On one machine a lock has no time to live, so nobody takes it from a process that is only slow.",
  },
  {
    fault: "SIGTERM while an action runs",
    tests: [
      "cli/run/start/start.test.ts: finishes what runs at a first %s and ends with 0",
      "cli/run/start/start.test.ts: stops at once at the second signal and ends with 130",
    ],
  },
  {
    fault: "a power cut",
    tests: [
      "faults/power-cut.test.ts: leaves everything that was acknowledged, in every image, and a project that goes on",
      "faults/power-cut.test.ts: takes away what was only handed to the operating system",
      "faults/crash.test.ts: loses nothing that was acknowledged where zeros stand for what was not",
    ],
  },
  {
    fault: "a full disk",
    tests: [
      "faults/full-disk.test.ts: halts the agents with the reason; they lose nothing, and resume when there is room again",
      "legion/halted.test.ts: is halted with the reason while others go on, and goes on by itself when the cause is gone",
    ],
  },
  {
    fault: "EACCES, EROFS, EMFILE, EIO",
    tests: [
      "faults/errors.test.ts: at one call goes on by itself, loses nothing and does nothing twice",
      "faults/errors.test.ts: at everything of one agent lets the others work, and that one resumes when the disk works again",
      "faults/errors.test.ts: at all that it writes goes on by itself when the disk works again",
      "base/files/disk.test.ts: names the path in every failure",
      "cli/run/start/start.test.ts: says in one line that a folder cannot be written to",
    ],
  },
  {
    fault: "a flush that fails",
    tests: [
      "storage/files/journal/journal.test.ts: rejects, is dead, and tries no flush a second time (J1)",
      "storage/files/journal/journal.test.ts: is replaced by one that goes on behind what it acknowledged, and hides the rest (J2)",
    ],
  },
  {
    fault: "a power cut while what a log comes to is kept beside it",
    tests: [
      "faults/kept-past.test.ts: counts as a whole, the one before it as well, or not at all (L9, %s)",
      "faults/kept-past.test.ts: does not count where it knows more than what is left of its log",
    ],
  },
  {
    fault: "a torn last line",
    tests: [
      "storage/files/journal/segments.test.ts: keeps every whole record and goes on behind them, wherever the last segment was cut (J2)",
    ],
  },
  {
    fault: "a turned bit, a hole of zeros",
    tests: [
      "faults/damage.test.ts: is read without a wrong record and with all but one after each of ${FLIPS} turned bits (J3)",
      "faults/damage.test.ts: is read with exactly what is whole after each of ${HOLES} holes of zeros (J3)",
      "storage/files/log.test.ts: goes on under a new name, says which events are lost, and keeps the bytes",
    ],
  },
  {
    fault: "a damaged snapshot",
    why: "There are no snapshots: a log is read as a whole.",
  },
  {
    fault: "a log of a newer version",
    tests: [
      "storage/files/journal/segments.test.ts: refuses a segment of a newer format and touches nothing",
      "storage/files/log.test.ts: is refused untouched if a newer version wrote to it",
    ],
  },
  {
    fault: "several processes, one folder",
    tests: [
      "storage/folder/lock.test.ts: refuses a second live process and names the first",
      "storage/folder/lock.test.ts: has one winner in each of ten races of eight processes",
      "storage/folder/lock.test.ts: is not won by a claim that others have passed meanwhile",
    ],
  },
  {
    fault: "a lock that was left: dead process, pid in use again, another boot, another container",
    tests: [
      "storage/folder/lock.test.ts: is taken over from a process that was killed",
      "storage/folder/lock.test.ts: is taken over where another process has got the pid since",
      "storage/folder/lock.test.ts: is taken over after the machine started again",
      "storage/folder/lock.test.ts: stays with a process of another container as long as that touches it",
    ],
  },
  {
    fault: "a clock that jumps a day",
    tests: [
      "faults/hostile.test.ts: by %i ms while an agent works changes neither the order of its past nor what it does",
    ],
  },
  {
    fault: "a provider that is busy, broken, slow, or answers nonsense",
    tests: [
      "scenarios/provider-failures.test.ts: waits as long as a 429 asks, says so, and gets through",
      "scenarios/provider-failures.test.ts: tries again after 500s",
      "scenarios/provider-failures.test.ts: tries again when nothing is said for too long before an answer",
      "scenarios/provider-failures.test.ts: parks on a %i with what a person has to do, and goes on when told",
      "scenarios/provider-outage.test.ts: is waited for longer and longer, for as long as it lasts, and Control is told once",
      "agent/actor.test.ts: turns what the model did wrong into results, and goes on (A4)",
    ],
  },
  {
    fault: "a model that repeats itself, agents that write to each other for ever",
    tests: [
      "agent/parts/loop-guard.test.ts: brings a warning after three times and parks the agent after five, until new mail comes",
      "agent/parts/loop-guard.test.ts: ends past 32 messages: both sides and Control are told, once",
    ],
  },
  {
    fault: "ids and titles that are no file names",
    tests: [
      "config/definition.test.ts: refuses the agent id %j",
      "storage/folder/file-name.test.ts: is safe on every file system, whatever the title",
      "storage/folder/file-name.test.ts: tells all titles apart, marked or not",
      "storage/folder/file-name.test.ts: can be written and read back on this disk",
    ],
  },
  {
    fault: "a flood of messages",
    tests: [
      "mail/bus-contract.ts: refuses mail past the limit until some was taken, also what comes at once; Control's is never full (B5)",
      "mail/control-mail-contract.ts: keeps places past the limit for Control's mail alone, also after a restart (B5)",
      "mail/refused-letters.test.ts: a message to a full mailbox is kept, in the same commit before the result that says so",
    ],
  },
  {
    fault: "a message that is too long, to nobody, or to oneself",
    tests: [
      "mail/refused-letters.test.ts: a message past the size limit is kept whole, beside the log",
      "mail/refused-letters.test.ts: a message to somebody who was there once is kept, one to somebody who never was is not",
      "mail/control.test.ts: is refused before it has a number, for nobody, if one target is unknown or it is too long",
      "modules/messaging.test.ts: refuses to send to oneself: %s",
    ],
  },
  {
    fault: "a thousand agents with long logs",
    tests: [
      "legion/idle.test.ts: two hundred agents with nothing to do read nothing, need one timer at most and no open file each (C10)",
    ],
    why: "How long a start takes and how much memory it needs is measured by `npm run bench`.",
  },
  {
    fault: "an upgrade while calls are open",
    tests: [
      "agent/recovery.test.ts: never repeats a call that must happen once: it says so, and skips the rest (A6)",
      "agent/recovery.test.ts: treats an unknown action like one that must happen once, and knows aliases",
    ],
    why: "There is one format so far, so no older one to open.",
  },
  {
    fault: "a configuration that is missing or wrong",
    tests: [
      "config/config.test.ts: knows what holds when nobody said anything",
      "cli/run/start/start.test.ts: %s: is told in one line, and nothing is written",
      "cli/run/start/start.test.ts: names the file and the line of what is wrong in the config",
    ],
  },
];
