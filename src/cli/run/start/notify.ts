// Tells the person, wherever they are, that they are wanted: by a command or a URL of their own file.

import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { messageOf } from "../../../base/errors.ts";
import type { Notify } from "../../../config/files/person-config.ts";
import { displayName } from "../../../domain/message/message.ts";
import type { Inspection } from "../../../domain/inspection.ts";
import { showUnseen } from "../../../base/text/unseen.ts";

export interface Notifier {
  see(seen: Inspection): void;
  /** Tells `text`, and waits until all that was to be told is told, or for a few seconds. */
  end(text: string): Promise<void>;
}

const TIMEOUT_MS = 10_000;
const MAX_LENGTH = 500;
/** What a person has to know of: a question, and that somebody does nothing until they act. */
const WANTED = { parked: "is parked", halted: "is halted" } as const;

/** @param onFailure told, once, why the person cannot be told */
export function createNotifier(
  notify: Notify | undefined,
  project: string,
  onFailure: (text: string) => void,
): Notifier {
  const telling = new Set<Promise<void>>();
  let hasFailed = false;
  const tell = (text: string): void => {
    if (!notify) return;
    const line = showUnseen(`${text} (${project})`).slice(0, MAX_LENGTH);
    const told = deliver(notify, line)
      .catch((error: unknown) => {
        if (!hasFailed) onFailure(`notify does not work: ${messageOf(error)}`);
        hasFailed = true;
      })
      .finally(() => telling.delete(told));
    telling.add(told);
  };
  return {
    see(seen) {
      if (seen.kind === "question" && !seen.ended) {
        const { id, agent, action } = seen.question;
        tell(`${displayName(agent)} asks ${id}: may I call ${action}?`);
      }
      if (seen.kind !== "live:state" || !(seen.state in WANTED)) return;
      const { agent, state, reason = "" } = seen;
      tell(`${displayName(agent)} ${WANTED[state as keyof typeof WANTED]}: ${reason}`);
    },
    async end(text) {
      tell(text);
      await Promise.all(telling);
    },
  };
}

async function deliver(notify: Notify, text: string): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  if (notify.kind === "url") {
    // The person's own address, which may be one of their own network.
    const { url, headers } = withoutName(notify.url);
    const response = await fetch(url, { method: "POST", body: text, headers, signal, redirect: "error" });
    if (!response.ok) throw new Error(`${url.host} answers ${response.status}`);
    return;
  }
  // In no folder of a project: what lies there may have the name of a program, or its settings.
  const where = { cwd: homedir(), stdio: "ignore", signal } as const;
  const child = spawn("sh", ["-c", `${notify.command} "$1"`, "sh", text], where);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("exit", resolve).once("error", reject);
  });
  if (code !== 0) throw new Error(`${JSON.stringify(notify.command)} ends with exit code ${code}`);
}

/** Node's fetch refuses a URL with a name and a password in it, and would repeat them. */
function withoutName(address: string): {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
} {
  const url = new URL(address);
  const { username, password } = url;
  if (username === "") return { url, headers: {} };
  url.username = url.password = "";
  const name = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { url, headers: { authorization: `Basic ${name.toString("base64")}` } };
}
