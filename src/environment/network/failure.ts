// What went wrong on the way to a page, in a sentence for the one who asked for it.

import { codeOf, LegionError, messageOf } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import { shown, type Target } from "./destination.ts";

/** By the code of an error; `%` is the host. */
const SENTENCES = new Map([
  ["ENOTFOUND", "There is no host %."],
  ["ENODATA", "There is no host %."],
  ["EAI_AGAIN", "The name % cannot be looked up now: no name server answers."],
  ["ECONNREFUSED", "% refuses connections."],
  ["ECONNRESET", "% hung up without a whole answer."],
  ["EPIPE", "% hung up without a whole answer."],
  ["ERR_STREAM_PREMATURE_CLOSE", "% hung up without a whole answer."],
  ["ETIMEDOUT", "% does not answer."],
  ["EHOSTUNREACH", "% cannot be reached: there is no way to it from here."],
  ["ENETUNREACH", "% cannot be reached: there is no way to it from here."],
  ["EADDRNOTAVAIL", "% cannot be reached: there is no way to it from here."],
  ["CERT_HAS_EXPIRED", "The certificate of % has expired."],
  ["CERT_NOT_YET_VALID", "The certificate of % is not valid yet."],
  ["CERT_REVOKED", "The certificate of % was revoked."],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "The certificate of % was made for other hosts."],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "The certificate of % is self-signed."],
  ["HPE_HEADER_OVERFLOW", "% sent headers that are too long."],
]);
/** The same, by how the code begins. */
const FAMILIES = [
  ["SELF_SIGNED_CERT_IN", "The certificate of % is signed by an authority that is not known here."],
  ["UNABLE_TO_", "The certificate of % is signed by an authority that is not known here."],
  [
    "EPROTO",
    "% does not speak TLS as it is understood here; its pages may be found under http instead of https.",
  ],
  [
    "ERR_SSL_",
    "% does not speak TLS as it is understood here; its pages may be found under http instead of https.",
  ],
  ["HPE_", "% did not answer in HTTP."],
  ["Z_", "% sent a body that cannot be unpacked."],
  ["ERR__", "% sent a body that cannot be unpacked."],
] as const;

/** NETWORK for what the operating system, TLS, HTTP and unpacking throw; anything else as it is. */
export function explainFailure(error: unknown, target: Target): unknown {
  if (error instanceof LegionError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === "") return error;
  const sentence = SENTENCES.get(code) ?? FAMILIES.find(([beginning]) => code.startsWith(beginning))?.[1];
  const why = sentence ?? `% cannot be read: ${quote(messageOf(error))}.`;
  return network(
    why.replace("%", () => shown(target)),
    error,
  );
}

/** As the operating system would say it. */
export function hungUp(): Error {
  return Object.assign(new Error("hung up"), { code: "ECONNRESET" });
}

export function network(text: string, cause?: unknown): LegionError {
  return new LegionError("NETWORK", text, { cause });
}
