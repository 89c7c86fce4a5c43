// What can go wrong between this program and Redis, and what a person does about it.

import { codeOf } from "../../../base/errors.ts";

export interface Fault {
  /** `passes`: it may be over by itself, so trying again makes sense. `stays`: a person has to mend something. */
  readonly course: "passes" | "stays";
  /** Fits the code of an error of the platform, the reply of the server, or what ioredis says. */
  readonly signs: RegExp;
  /** Where it says REDIS, the address has to be put in. */
  readonly sentence: string;
  /** The server, or the way back from it, failed while it may already have done what was asked. */
  readonly outcome?: "unknown";
}

function passes(signs: RegExp, sentence: string): Fault {
  return { course: "passes", signs, sentence };
}

function stays(signs: RegExp, sentence: string): Fault {
  return { course: "stays", signs, sentence };
}

function unanswered(signs: RegExp, sentence: string): Fault {
  return { course: "passes", signs, sentence, outcome: "unknown" };
}

export const NOT_THERE = passes(
  /^ECONNREFUSED$/,
  "nothing answers at REDIS: start Redis there, or correct the address",
);
export const NO_ANSWER = unanswered(
  /^ETIMEDOUT$|^Command timed out|^Socket timeout/,
  "REDIS does not answer in time: it is overloaded or stopped, or the network in between is cut",
);
export const LOST = unanswered(
  /^ECONNRESET$|^EPIPE$|^Connection is closed|^Stream isn't writeable|^Reached the max retries|^Cluster isn't ready/,
  "the connection to REDIS was lost",
);

/** Two ends that do not agree about TLS hang up, or leave each other waiting; what is thrown for that. */
export const CLOSED_AT_FIRST_WORD = "Closed at the first word";
export const SILENT_AT_FIRST_WORD = "Silent at the first word";

const FAULTS: readonly Fault[] = [
  // On the way there.
  NOT_THERE,
  NO_ANSWER,
  LOST,
  passes(/^ENOTFOUND$/, "the host name in REDIS is not known: correct the address"),
  passes(/^EAI_AGAIN$/, "the name service does not tell where REDIS is: check the network"),
  passes(
    /^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    "there is no way to REDIS from here: check the address, the network and the firewall",
  ),
  unanswered(
    /^None of startup nodes|^Failed to refresh slots|^All sentinels are unreachable/,
    "none of REDIS answers",
  ),
  // TLS, or what is no Redis.
  stays(
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/,
    "the certificate of REDIS is not signed by an authority that is trusted here: name the file of its authority with ?ca=<file>, or in NODE_EXTRA_CA_CERTS",
  ),
  stays(/^CERT_HAS_EXPIRED$/, "the certificate of REDIS has expired: renew it (or check the clock here)"),
  stays(/^CERT_NOT_YET_VALID$/, "the certificate of REDIS is not valid yet: check the clock here"),
  stays(
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "the certificate of REDIS is for another host name: use that name in the address",
  ),
  stays(
    /^EPROTO$|^ERR_SSL_/,
    "REDIS does not speak TLS: write redis:// instead of rediss://, or give the port that does",
  ),
  // 21 and 22 are the first byte of an answer of TLS.
  stays(/^Unknown RESP type 2[12] /, "REDIS speaks TLS: write rediss:// instead of redis://"),
  stays(/^Unknown RESP type/, "what answers at REDIS is not Redis: correct the address"),
  passes(
    new RegExp(`^${CLOSED_AT_FIRST_WORD}`),
    "REDIS closes the connection at the first word: if it is Redis, it may want TLS (rediss://)",
  ),
  passes(
    new RegExp(`^${SILENT_AT_FIRST_WORD}`),
    `${NO_ANSWER.sentence}, or it does not speak TLS (redis://)`,
  ),
  // What Redis answers.
  stays(/^NOAUTH\b/, "REDIS wants a password: write redis://user:password@host"),
  stays(
    /^WRONGPASS\b|invalid (?:username-)?password/i,
    "REDIS does not accept the user or the password: check both in the address",
  ),
  stays(
    /^NOPERM\b/,
    "the user may not do that in REDIS: give it ~lg:* &lg:* +@all -@admin +info +cluster +config|get",
  ),
  stays(/^DENIED\b/, "REDIS is in protected mode: set a password there, or bind it"),
  stays(/DB index is out of range|invalid DB index/, "REDIS has no database of that number"),
  stays(/^READONLY\b/, "REDIS is a read-only replica: give the address of its master, or of the Sentinels"),
  stays(
    /^CROSSSLOT\b/,
    "keys of two slots were used together in REDIS: this is a bug of AI Legion, please report it",
  ),
  passes(/^LOADING\b/, "REDIS is still loading its data: wait"),
  passes(/^OOM\b/, "REDIS is out of memory and took nothing: raise maxmemory, or remove what nobody needs"),
  passes(/^MISCONF\b/, "REDIS cannot write to its disk and takes nothing: look at its log and its disk"),
  passes(/^NOREPLICAS\b/, "REDIS has too few replicas to take anything (min-replicas-to-write)"),
  passes(/^BUSY\b/, "REDIS is busy with a script that takes too long: see SCRIPT KILL"),
  passes(/^MAXCLIENTS\b|max number of clients/, "REDIS has no connection left: raise maxclients"),
  passes(
    /^CLUSTERDOWN\b/,
    "the Cluster of REDIS is not whole: redis-cli cluster info tells which slots are missing",
  ),
  passes(
    /^MASTERDOWN\b/,
    "the master behind REDIS does not answer: wait for the failover, or see whether its address leads there from here",
  ),
];

/** Undefined for what nobody thought of. */
export function findFault(error: unknown): Fault | undefined {
  if (!(error instanceof Error)) return undefined;
  const find = (said: string) => FAULTS.find(({ signs }) => signs.test(said));
  return find(codeOf(error)) ?? find(error.message);
}

/** The first word of what Redis refused with, such as `NOAUTH`; else empty. */
export function replyCode(error: unknown): string {
  return error instanceof Error ? (/^[A-Z]{2,20}(?= |$)/.exec(error.message)?.[0] ?? "") : "";
}
