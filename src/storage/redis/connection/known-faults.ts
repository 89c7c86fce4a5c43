// What can go wrong between this program and Redis, and what a person does about it.

/** `passes`: it may be over by itself, so trying again makes sense. `stays`: a person has to mend something. */
export interface Fault {
  readonly course: "passes" | "stays";
  readonly say: (shown: string) => string;
  /** The server, or the way back from it, failed while it may already have done what was asked. */
  readonly outcome?: "unknown";
}

const TLS_AUTHORITY: Fault = {
  course: "stays",
  say: (shown) =>
    `the certificate of ${shown} is not signed by an authority that is trusted here: name the file of its authority with ?ca=<file>, or in NODE_EXTRA_CA_CERTS`,
};
const NO_WAY: Fault = {
  course: "passes",
  say: (shown) => `there is no way to ${shown} from here: check the address, the network and the firewall`,
};
export const NOT_THERE: Fault = {
  course: "passes",
  say: (shown) => `nothing answers at ${shown}: start Redis there, or correct the address`,
};
export const NO_ANSWER: Fault = {
  course: "passes",
  say: (shown) =>
    `${shown} does not answer in time: it is overloaded or stopped, or the network in between is cut`,
  outcome: "unknown",
};
export const LOST: Fault = {
  course: "passes",
  say: (shown) => `the connection to ${shown} was lost`,
  outcome: "unknown",
};
const WRONG_PASSWORD: Fault = {
  course: "stays",
  say: (shown) => `${shown} does not accept the user or the password: check both in the address`,
};
const NO_TLS: Fault = {
  course: "stays",
  say: (shown) =>
    `${shown} does not speak TLS: write redis:// instead of rediss://, or give the port that does`,
};

/** By the code of an error of the platform. */
const BY_CODE = new Map<string, Fault>([
  ["ECONNREFUSED", NOT_THERE],
  [
    "ENOTFOUND",
    { course: "passes", say: (shown) => `the host name in ${shown} is not known: correct the address` },
  ],
  [
    "EAI_AGAIN",
    {
      course: "passes",
      say: (shown) => `the name service does not tell where ${shown} is: check the network`,
    },
  ],
  ["EHOSTUNREACH", NO_WAY],
  ["ENETUNREACH", NO_WAY],
  ["ENETDOWN", NO_WAY],
  ["EADDRNOTAVAIL", NO_WAY],
  ["ETIMEDOUT", NO_ANSWER],
  ["ECONNRESET", LOST],
  ["EPIPE", LOST],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", TLS_AUTHORITY],
  ["SELF_SIGNED_CERT_IN_CHAIN", TLS_AUTHORITY],
  ["UNABLE_TO_GET_ISSUER_CERT", TLS_AUTHORITY],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", TLS_AUTHORITY],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", TLS_AUTHORITY],
  [
    "CERT_HAS_EXPIRED",
    {
      course: "stays",
      say: (shown) => `the certificate of ${shown} has expired: renew it (or check the clock here)`,
    },
  ],
  [
    "CERT_NOT_YET_VALID",
    { course: "stays", say: (shown) => `the certificate of ${shown} is not valid yet: check the clock here` },
  ],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    {
      course: "stays",
      say: (shown) => `the certificate of ${shown} is for another host name: use that name in the address`,
    },
  ],
  ["EPROTO", NO_TLS],
]);

/** By the first word of an error reply. */
const BY_REPLY = new Map<string, Fault>([
  [
    "NOAUTH",
    { course: "stays", say: (shown) => `${shown} wants a password: write redis://user:password@host` },
  ],
  ["WRONGPASS", WRONG_PASSWORD],
  [
    "NOPERM",
    {
      course: "stays",
      say: (shown) =>
        `the user may not do that in ${shown}: give it ~lg:* &lg:* +@all -@admin +info +cluster +config|get`,
    },
  ],
  [
    "DENIED",
    { course: "stays", say: (shown) => `${shown} is in protected mode: set a password there, or bind it` },
  ],
  [
    "OOM",
    {
      course: "passes",
      say: (shown) =>
        `${shown} is out of memory and took nothing: raise maxmemory, or remove what nobody needs`,
    },
  ],
  [
    "READONLY",
    {
      course: "stays",
      say: (shown) => `${shown} is a read-only replica: give the address of its master, or of the Sentinels`,
    },
  ],
  ["LOADING", { course: "passes", say: (shown) => `${shown} is still loading its data: wait` }],
  [
    "MISCONF",
    {
      course: "passes",
      say: (shown) => `${shown} cannot write to its disk and takes nothing: look at its log and its disk`,
    },
  ],
  [
    "CLUSTERDOWN",
    {
      course: "passes",
      say: (shown) =>
        `the Cluster of ${shown} is not whole: redis-cli cluster info tells which slots are missing`,
    },
  ],
  [
    "MASTERDOWN",
    {
      course: "passes",
      say: (shown) =>
        `the master behind ${shown} does not answer: wait for the failover, or see whether its address leads there from here`,
    },
  ],
  [
    "NOREPLICAS",
    {
      course: "passes",
      say: (shown) => `${shown} has too few replicas to take anything (min-replicas-to-write)`,
    },
  ],
  [
    "BUSY",
    {
      course: "passes",
      say: (shown) => `${shown} is busy with a script that takes too long: see SCRIPT KILL`,
    },
  ],
  ["MAXCLIENTS", { course: "passes", say: (shown) => `${shown} has no connection left: raise maxclients` }],
  [
    "CROSSSLOT",
    {
      course: "stays",
      say: (shown) =>
        `keys of two slots were used together in ${shown}: this is a bug of AI Legion, please report it`,
    },
  ],
]);

/** By the text, where neither code nor reply tells. */
const BY_TEXT: readonly (readonly [pattern: RegExp, fault: Fault])[] = [
  [
    /^Closed at the first word/,
    {
      course: "passes",
      say: (shown) =>
        `${shown} closes the connection at the first word: if it is Redis, it may want TLS (rediss://)`,
    },
  ],
  [
    /^Silent at the first word/,
    {
      course: "passes",
      say: (shown) =>
        NO_ANSWER.say(shown) + (shown.startsWith("rediss:") ? ", or it does not speak TLS (redis://)" : ""),
    },
  ],
  [/^Command timed out|^Socket timeout/, NO_ANSWER],
  [/^Connection is closed|^Stream isn't writeable|^Reached the max retries|^Cluster isn't ready/, LOST],
  [
    /^None of startup nodes|^Failed to refresh slots|^All sentinels are unreachable/,
    { ...LOST, say: (shown) => `none of ${shown} answers` },
  ],
  [
    /max number of clients/,
    { course: "passes", say: (shown) => `${shown} has no connection left: raise maxclients` },
  ],
  [
    /DB index is out of range|invalid DB index/,
    { course: "stays", say: (shown) => `${shown} has no database of that number` },
  ],
  [/invalid (?:username-)?password/i, WRONG_PASSWORD],
  [
    // The first byte of an answer of TLS.
    /^Unknown RESP type 2[12] /,
    { course: "stays", say: (shown) => `${shown} speaks TLS: write rediss:// instead of redis://` },
  ],
  [
    /^Unknown RESP type/,
    { course: "stays", say: (shown) => `what answers at ${shown} is not Redis: correct the address` },
  ],
];

/** Undefined for what nobody thought of. */
export function findFault(error: unknown): Fault | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const { message } = error;
  return (
    BY_CODE.get(code) ??
    (code.startsWith("ERR_SSL_") ? NO_TLS : undefined) ??
    BY_REPLY.get(replyCode(error)) ??
    BY_TEXT.find(([pattern]) => pattern.test(message))?.[1]
  );
}

/** Of an error of the platform; else empty. */
export function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** The first word of what Redis refused with, such as `NOAUTH`; else empty. */
export function replyCode(error: unknown): string {
  return error instanceof Error ? (/^[A-Z]{2,20}(?= |$)/.exec(error.message)?.[0] ?? "") : "";
}
