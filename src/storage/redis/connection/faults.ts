// What can go wrong between this program and Redis, told to whoever has to do something about it.

import { codeOf, LegionError, messageOf } from "../../../base/errors.ts";
import type { RedisAddress } from "./address.ts";

interface Fault {
  /**
   * `passes`: it may be over by itself, so trying again makes sense. `unanswered`: that too, but what was asked may have been
   * done already. `stays`: a person has to mend something.
   */
  readonly course: "passes" | "unanswered" | "stays";
  /** Where it says REDIS, the address has to be put in; where SAID, what the error says. */
  readonly sentence: string;
}

const NOT_THERE: Fault = {
  course: "passes",
  sentence: "nothing answers at REDIS: start Redis there, or correct the address",
};
const NO_ANSWER: Fault = {
  course: "unanswered",
  sentence: "REDIS does not answer in time: it is overloaded or stopped, or the network in between is cut",
};
const LOST: Fault = { course: "unanswered", sentence: "the connection to REDIS was lost" };
const NOBODY: Fault = { course: "unanswered", sentence: "none of REDIS answers" };

function passes(sentence: string): Fault {
  return { course: "passes", sentence };
}

function stays(sentence: string): Fault {
  return { course: "stays", sentence };
}

/** By the code of an error of the platform, or what ioredis or Redis says. */
const FAULTS: readonly (readonly [RegExp, Fault])[] = [
  [/^ECONNREFUSED$/, NOT_THERE],
  [/^ETIMEDOUT$|^Command timed out|^Socket timeout/, NO_ANSWER],
  [/^ECONNRESET$|^EPIPE$|^Connection is closed|^Stream isn't writeable/, LOST],
  [/^Reached the max retries|^Cluster isn't ready/, LOST],
  [/^None of startup nodes|^Failed to refresh slots|^All sentinels are unreachable/, NOBODY],
  [
    /^ENOTFOUND$|^EAI_AGAIN$/,
    passes("the name service does not know the host in REDIS: correct the address, or check the network"),
  ],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    passes("there is no way to REDIS from here: check the address, the network and the firewall"),
  ],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/,
    stays(
      "the certificate of REDIS is not signed by an authority that is trusted here: name the file of its authority with ?ca=<file>, or in NODE_EXTRA_CA_CERTS",
    ),
  ],
  [
    /^CERT_HAS_EXPIRED$|^CERT_NOT_YET_VALID$|^ERR_TLS_CERT_ALTNAME_INVALID$/,
    stays(
      "the certificate of REDIS is refused (SAID): renew it, check the clock here, or write the host name that it is for",
    ),
  ],
  [
    /^EPROTO$|^ERR_SSL_/,
    stays("REDIS does not speak TLS: write redis:// instead of rediss://, or give the port that does"),
  ],
  // 21 and 22 are the first byte of an answer of TLS.
  [/^Unknown RESP type 2[12] /, stays("REDIS speaks TLS: write rediss:// instead of redis://")],
  [/^Unknown RESP type/, stays("what answers at REDIS is not Redis: correct the address")],
  [/^ERR (?:DB index is out of range|invalid DB index)/, stays("REDIS has no database of that number")],
  [/^ERR max number of clients/, passes("REDIS has no connection left: raise maxclients")],
];

/** By the first word of what Redis refuses with. */
const REFUSALS: Readonly<Record<string, Fault>> = {
  NOAUTH: stays("REDIS wants a password: write redis://user:password@host"),
  WRONGPASS: stays("REDIS does not accept the user or the password: check both in the address"),
  NOPERM: stays(
    "the user may not do that in REDIS: give it ~lg:* &lg:* +@all -@admin +info +cluster +config|get",
  ),
  DENIED: stays("REDIS is in protected mode: set a password there, or bind it"),
  READONLY: stays("REDIS is a read-only replica: give the address of its master, or of the Sentinels"),
  CROSSSLOT: stays(
    "keys of two slots were used together in REDIS: this is a bug of AI Legion, please report it",
  ),
  LOADING: passes("REDIS is still loading its data: wait"),
  OOM: passes("REDIS is out of memory and took nothing: raise maxmemory, or remove what nobody needs"),
  MISCONF: passes("REDIS cannot write to its disk and takes nothing: look at its log and its disk"),
  NOREPLICAS: passes("REDIS has too few replicas to take anything (min-replicas-to-write)"),
  BUSY: passes("REDIS is busy with a script that takes too long: see SCRIPT KILL"),
  CLUSTERDOWN: passes(
    "the Cluster of REDIS is not whole: redis-cli cluster info tells which slots are missing",
  ),
  MASTERDOWN: passes(
    "the master behind REDIS does not answer: wait for the failover, or see whether it can be reached",
  ),
};

/** Undefined for what nobody thought of. */
function findFault(error: unknown): Fault | undefined {
  if (!(error instanceof Error)) return undefined;
  const find = (said: string) => FAULTS.find(([signs]) => signs.test(said))?.[1];
  return find(codeOf(error)) ?? find(error.message) ?? REFUSALS[replyCode(error)];
}

/** The first word of what Redis refused with, such as `NOAUTH`; else empty. */
export function replyCode(error: unknown): string {
  return error instanceof Error ? (/^[A-Z]{2,20}(?= |$)/.exec(error.message)?.[0] ?? "") : "";
}

/** STORAGE, with a sentence that names the place and says what to do. What is a LegionError already stays as it is. */
export function faultOf(error: unknown, shown: string): LegionError {
  if (error instanceof LegionError) return error;
  const said = quote(messageOf(error));
  const sentence = findFault(error)?.sentence ?? "REDIS says: SAID";
  const text = sentence.replace(/REDIS|SAID/g, (place) => (place === "REDIS" ? shown : said));
  // What ioredis rejects with holds the command, and so a password or somebody's mail.
  const cause = Object.assign(new Error(said), { code: codeOf(error) });
  return new LegionError("STORAGE", text, { cause });
}

/** The same about something that was asked: it also says so where that may have been done all the same. */
export function unansweredFault(error: unknown, shown: string): LegionError {
  const fault = faultOf(error, shown);
  if (findFault(error)?.course !== "unanswered") return fault;
  return new LegionError(
    "STORAGE",
    `${fault.message}; whether what was asked last was done is not known`,
    fault,
  );
}

/** False for what stays wrong until a person mends it. `error`: what `faultOf` made, or what it is made of. */
export function mayPass(error: unknown): boolean {
  const fault = findFault(error instanceof LegionError ? error.cause : error);
  return fault !== undefined && fault.course !== "stays";
}

/** True if nobody answered at an address, or not to the end. */
export function isOutOfReach(error: unknown): boolean {
  const fault = findFault(error);
  return fault === LOST || fault === NO_ANSWER || fault === NOT_THERE;
}

/** True if the user may not ask that, or nobody may: providers take commands away. */
export function isForbidden(error: unknown): boolean {
  const cause = error instanceof LegionError ? error.cause : error;
  return replyCode(cause) === "NOPERM" || /^ERR unknown command/i.test(messageOf(cause));
}

/** What a connection failed with before anything was answered: two ends that do not agree about TLS hang up, or wait. */
export function atFirstWord(error: unknown, { isTls, shown }: RedisAddress): unknown {
  const fault = findFault(error);
  if (fault !== LOST && !(fault === NO_ANSWER && isTls)) return error;
  const { message, cause } = faultOf(error, shown);
  const guess =
    fault === LOST
      ? " at the first word: if it is Redis, it may want TLS (rediss://)"
      : ", or it does not speak TLS (redis://)";
  return new LegionError("STORAGE", message + guess, { cause });
}

function quote(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 200);
}
