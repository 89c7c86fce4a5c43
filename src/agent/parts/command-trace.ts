// What a command leaves behind for the case that the runtime dies under it: a mark by which it can be found and ended,
// and what it had printed. One file for each agent: calls whose outcome has to be told of run one after the other.

import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import type { CommandTrace } from "../../environment/environment.ts";
import type { AppendFile, Disk } from "../../base/files/disk.ts";
import type { Call } from "../../domain/event/event.ts";
import type { Effects } from "../../domain/authoring/module.ts";
import { NO_SECRETS, type Redactor } from "../../base/redaction/redactor.ts";
import { openCalls } from "../../past/conversation.ts";
import { keyOfCall } from "../../past/undo/acts.ts";
import type { Memory } from "../../past/past.ts";
import type { TracedWorkspace } from "./workplace.ts";

export interface Traces {
  /** For a command of the call `key`; begins the file anew. */
  begin(key: string): Promise<CommandTrace>;
  /** The end of what the newest command printed, if it was one of the call `key`. */
  printed(key: string): Promise<string | undefined>;
}

/** What is known of a call that the runtime died under. */
export interface Evidence {
  /** The end of what its command had printed. */
  readonly printed: string;
  /** It was still running, and was ended. */
  readonly stillRan: boolean;
}

const FILE = "running.out";
const KEPT_BYTES = 65_536;
const SHOWN_LENGTH = 2_000;
/** Control characters but tab and newline. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;

/** What marks everything that the call `key` starts. */
export function markOf(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 32);
}

/** @param redactor hides what is printed of secrets; absent: nothing is hidden */
export function createTraces(folder: string, disk: Disk, redactor = NO_SECRETS): Traces {
  const path = join(folder, FILE);
  let file: AppendFile | undefined;
  const begun = async (): Promise<AppendFile> => {
    if (!file) await disk.remove(path);
    file?.empty();
    return file ?? disk.create(path);
  };
  return {
    async begin(key) {
      const mark = markOf(key);
      try {
        file = await begun();
        file.write(Buffer.from(`${mark}\n`));
      } catch {
        // A command is not refused because what it prints cannot be kept for a bad day.
        file = undefined;
      }
      return { mark: `${mark}.${randomUUID()}`, print: keepFirst(file, redactor) };
    },
    async printed(key) {
      const text = (await disk.read(path))?.toString("utf8");
      const head = `${markOf(key)}\n`;
      return text?.startsWith(head)
        ? text.slice(head.length).replace(CONTROLS, "").slice(-SHOWN_LENGTH)
        : undefined;
    },
  };
}

/** For a command of the call `key` that may be run again: nothing has to be known of it but that it is ended. */
export function unprinted(key: string): CommandTrace {
  return { mark: `${markOf(key)}.${randomUUID()}`, print: () => undefined };
}

function keepFirst(file: AppendFile | undefined, redactor: Redactor): CommandTrace["print"] {
  let left = file ? KEPT_BYTES : 0;
  const decoder = new TextDecoder();
  const pieces = redactor.pieces();
  return (chunk) => {
    if (left <= 0) return;
    try {
      const printed = Buffer.from(pieces.add(decoder.decode(chunk.subarray(0, left), { stream: true })));
      left -= chunk.length;
      file?.write(printed);
    } catch {
      left = 0;
    }
  };
}

/** What tells a call of an agent from every other call in the world. */
export function callKey({ ledger, conversation }: Memory, { id }: Call): string {
  return keyOfCall(ledger.log, conversation.decision?.event.seq, id);
}

interface CrashSite {
  readonly memory: Memory;
  readonly traces: Traces;
  readonly workspace: TracedWorkspace;
  readonly effectsOf: (action: string) => Effects;
}

/**
 * Ends what open calls of the newest decision left running: the first one, and those that may have run beside it.
 * `undefined` if the first ran no command, or only reads.
 */
export async function gatherEvidence(site: CrashSite): Promise<Evidence | undefined> {
  const { memory, traces, workspace, effectsOf } = site;
  const open = openCalls(memory.conversation).filter((call) => call !== null);
  const [call] = open;
  if (!call) return undefined;
  if (effectsOf(call.action) === "reads") {
    const reads = open.filter(({ action }) => effectsOf(action) === "reads");
    for (const read of reads) await workspace.endLeft(markOf(callKey(memory, read)));
    return undefined;
  }
  const key = callKey(memory, call);
  const printed = await traces.printed(key);
  if (printed === undefined) return undefined;
  return { stillRan: await workspace.endLeft(markOf(key)), printed };
}
