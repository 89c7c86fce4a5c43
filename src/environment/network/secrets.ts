import { LegionError } from "../../base/errors.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { WebRequest } from "../../domain/authoring/network.ts";

/** What stands for a secret, as it is and as URLs write it. */
const MARK = /(?:\[|%5b)redacted(?::|%3a)([\w.-]+)(?:\]|%5d)/i;

/** Throws REFUSED if a request would tell a secret to a host that it is not meant for, or asks for it by its mark. */
export function refuseSecrets(
  url: string,
  request: Pick<WebRequest, "headers" | "body" | "keys">,
  redactor: Redactor,
): void {
  const { headers = {}, body = "", keys = [] } = request;
  const meant = redactor.marksIn(keys.join(" "));
  const told = redactor.marksIn([url, ...Object.values(headers), body].join(" "));
  const secret = told.find((mark) => !meant.includes(mark));
  if (secret !== undefined)
    throw new LegionError("REFUSED", `This request holds ${secret}, a secret: it is sent to nobody.`);
  const name = MARK.exec(url)?.[1];
  if (name === undefined) return;
  const why = `This address holds the mark [redacted:${name}] in place of a secret, which is sent to nobody`;
  throw new LegionError("REFUSED", `${why}: leave it out.`);
}
