// Who may ask anything of the page's server. Another port of this machine is another site, a name that somebody had point here is
// not ours, and what a browser sends along by itself opens nothing: only the token does, which no other page can read.
//
//   K6. Nothing is answered but to a request that came by a name of ours, from a page of ours or none, and, for all but the files
//       of the page, with the token; nothing of its body is read before.

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { MAX_BODY_BYTES } from "../api/refusal.ts";

export interface DashboardDoor {
  readonly port: number;
  /** Hexadecimal. */
  readonly token: string;
  /** By which names it is asked besides those of this machine, such as that of a tunnel: `host` or `host:port`. */
  readonly hosts: readonly string[];
  /** Nothing is done here, only shown. */
  readonly access: "read" | "all";
}

export interface DoorRefusal {
  readonly status: 400 | 401 | 403 | 405 | 413 | 415 | 421 | 500;
  readonly message: string;
}

const OWN_NAMES = ["127.0.0.1", "localhost", "[::1]"];
const WAYS = { api: "take the address anew", metrics: "`legion dashboard --metrics` says which" };
const JSON_TYPE = /^application\/json\s*(;\s*charset=utf-8\s*)?$/i;

/**
 * Why a request is refused; `undefined`: it is not. `page`: it asks for a file of it, which is no secret; `metrics`: for those, which
 * a token of their own opens.
 */
export function refusalFor(
  request: IncomingMessage,
  door: DashboardDoor,
  part: "page" | "metrics" | "api",
): DoorRefusal | undefined {
  const { headers, method = "", url = "" } = request;
  if (isTwice(request, "host") || isTwice(request, "authorization") || isTwice(request, "origin"))
    return { status: 400, message: "A header came twice." };
  const host = headers.host?.toLowerCase() ?? "";
  if (!isOurName(host, door))
    return { status: 421, message: `This is not ${printable(host)}; --allow-host lets a name in.` };
  // What a proxy would be asked.
  if (!url.startsWith("/")) return { status: 400, message: "A path begins with /." };
  const { origin } = headers;
  const isFromElsewhere = origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
  const site = headers["sec-fetch-site"];
  if (isFromElsewhere || (site !== undefined && site !== "same-origin" && site !== "none"))
    return { status: 403, message: "A page of another site asks nothing here." };
  if (method !== "GET" && method !== "POST") return { status: 405, message: "There is GET and POST." };
  if (part !== "api" && method !== "GET") return { status: 405, message: "There is only GET." };
  if (part === "page") return undefined;
  if (!hasToken(headers.authorization, door.token))
    return { status: 401, message: `The token is missing, or another one: ${WAYS[part]}.` };
  return method === "POST" ? refusalToAct(request, door) : undefined;
}

function refusalToAct({ headers }: IncomingMessage, { access }: DashboardDoor): DoorRefusal | undefined {
  if (access === "read")
    return { status: 403, message: "This page only shows: it was started with --read-only." };
  if (!JSON_TYPE.test(headers["content-type"] ?? ""))
    return { status: 415, message: "expected content-type: application/json" };
  if (Number(headers["content-length"] ?? 0) > MAX_BODY_BYTES)
    return { status: 413, message: `A request may have ${MAX_BODY_BYTES} bytes.` };
  return undefined;
}

function isOurName(host: string, { port, hosts }: DashboardDoor): boolean {
  return (
    OWN_NAMES.some((name) => host === `${name}:${port}`) || hosts.some((name) => host === name.toLowerCase())
  );
}

function isTwice({ rawHeaders }: IncomingMessage, name: string): boolean {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length > 1;
}

function hasToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${token}`));
}

function printable(host: string): string {
  return /^[\w.:[\]-]{1,255}$/.test(host) ? host : "that";
}
