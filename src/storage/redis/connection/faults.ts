// Faults between this program and Redis, told to whoever has to do something about them.

import { codeOf, LegionError, messageOf } from "../../../base/errors.ts";
import type { RedisAddress } from "./address.ts";
import {
  CLOSED_AT_FIRST_WORD,
  findFault,
  LOST,
  NO_ANSWER,
  NOT_THERE,
  replyCode,
  SILENT_AT_FIRST_WORD,
} from "./known-faults.ts";

const MAX_QUOTED = 200;

/** STORAGE, with a sentence that names the place and says what to do. What is a LegionError already stays as it is. */
export function faultOf(error: unknown, shown: string): LegionError {
  if (error instanceof LegionError) return error;
  const text =
    findFault(error)?.sentence.replaceAll("REDIS", () => shown) ??
    `${shown} says: ${quote(messageOf(error))}`;
  return new LegionError("STORAGE", text, { cause: withoutArguments(error) });
}

/** The same about something that was asked: it also says so where that may have been done all the same. */
export function unansweredFault(error: unknown, shown: string): LegionError {
  const fault = faultOf(error, shown);
  if (findFault(error)?.outcome !== "unknown") return fault;
  return new LegionError(
    "STORAGE",
    `${fault.message}; whether what was asked last was done is not known`,
    fault,
  );
}

/** False for what stays wrong until a person mends it. `error`: what `faultOf` made, or what it is made of. */
export function mayPass(error: unknown): boolean {
  return findFault(error instanceof LegionError ? error.cause : error)?.course === "passes";
}

/** True if nobody answered at an address, or not to the end. */
export function isOutOfReach(error: unknown): boolean {
  const fault = findFault(error);
  return fault === LOST || fault === NO_ANSWER || fault === NOT_THERE;
}

/** True if the server calls itself a replica: it was a master, or the name led to another server before. */
export function isFromReplica(error: unknown): boolean {
  return replyCode(error) === "READONLY";
}

/** True if the server does not know the script by its hash. */
export function isUnknownScript(error: unknown): boolean {
  return replyCode(error) === "NOSCRIPT";
}

/** True if the user may not ask that, or nobody may: providers take commands away. */
export function isForbidden(error: unknown): boolean {
  const cause = error instanceof LegionError ? error.cause : error;
  return replyCode(cause) === "NOPERM" || /^ERR unknown command/i.test(messageOf(cause));
}

/** What a connection failed with before anything was answered: another error where that is often about TLS. */
export function atFirstWord(error: unknown, { isTls }: RedisAddress): unknown {
  const fault = findFault(error);
  if (fault === LOST) return new Error(CLOSED_AT_FIRST_WORD);
  return fault === NO_ANSWER && isTls ? new Error(SILENT_AT_FIRST_WORD) : error;
}

/** What ioredis rejects with holds the command, and so a password or somebody's mail. */
function withoutArguments(error: unknown): Error {
  const cause = new Error(quote(messageOf(error)));
  return Object.assign(cause, { code: codeOf(error) });
}

function quote(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, MAX_QUOTED);
}
