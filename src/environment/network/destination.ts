// Where a connection may go, as it is written: in URLs, in the requests that a proxy gets, in what a person allows.

import { isIP } from "node:net";
import { LegionError } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import { parseRange, plainAddress, type Range } from "./address.ts";

/** Where a connection is to go. */
export interface Target {
  /** A name in lower case, or an address in its shortest form without brackets; no dot at the end. */
  readonly host: string;
  readonly port: number;
}

/** Throws REFUSED if `text` is nothing that can be read. */
export function readUrl(text: string): URL {
  if (URL.canParse(text)) return checkUrl(new URL(text));
  throw refusal(`${quote(text)} is no URL: write all of it, such as https://example.com/page.`);
}

/** `url`. Throws REFUSED if it is not one of the web. */
export function checkUrl(url: URL): URL {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refusal(`Only http and https URLs can be read, and ${quote(url.href)} is none.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refusal(
      "A URL with a user name or a password in it is refused: leave out what stands before the @.",
    );
  }
  if (hostOf(url) === "") throw refusal(`${quote(url.href)} names no host.`);
  return url;
}

export function targetOf(url: URL): Target {
  return { host: hostOf(url), port: Number(url.port || (url.protocol === "https:" ? 443 : 80)) };
}

/** What a CONNECT request asks for, `host:port`. Throws REFUSED. */
export function readAuthority(text: string): Target {
  if (!/^[^/?#@\\\s]+:\d{1,5}$/.test(text)) throw refusal(`${quote(text)} is no host and port.`);
  return targetOf(readUrl(`http://${text}`));
}

/** For a sentence. */
export function shown(target: Target): string {
  return quote(placeOf(target));
}

/** With the port if it is none of the two that everybody expects. */
export function placeOf({ host, port }: Target): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === 80 || port === 443 ? name : `${name}:${port}`;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, "");
}

/** What a person allows though it is not public. */
export type AddressGrant = (target: Target, address: string) => boolean;

const NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;

/**
 * Reads one entry of `web.allowPrivate`: `host`, `host:port`, an IP address with or without a port, or a range such as
 * `10.0.0.0/8`. A name stands for whatever it resolves to, an address also for the names that resolve to it; without a port
 * all are meant. Throws USAGE with one line.
 */
export function parseGrant(entry: string): AddressGrant {
  const network = entry.includes("/") ? parseRange(entry) : undefined;
  if (network) return covers(network);
  const { host, port } = readPlace(entry);
  const single = isIP(host) === 0 ? undefined : parseRange(host);
  const grant: AddressGrant = single ? covers(single) : (target) => target.host === host;
  return (target, address) => (port === undefined || target.port === port) && grant(target, address);
}

function covers(range: Range): AddressGrant {
  return (_, address) => range.has(address);
}

/**
 * Reads `WebRequest.trusted`: exactly that host, by exactly that name. Without a port it stands for 80 and 443. Throws
 * USAGE.
 */
export function parseTrusted(text: string): AddressGrant {
  const { host, port } = readPlace(text);
  const ports = port === undefined ? [80, 443] : [port];
  return (target) => target.host === host && ports.includes(target.port);
}

function readPlace(text: string): { readonly host: string; readonly port?: number } {
  const [, bracketed, name, digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const written = isIP(text) === 6 ? text : (bracketed ?? name ?? "");
  const host = isIP(written) === 0 ? readName(written) : plainAddress(written);
  const port = digits === undefined || written === text ? undefined : Number(digits);
  const isAddress = bracketed === undefined || isIP(bracketed) === 6;
  if (host === undefined || !isAddress || port === 0 || (port ?? 1) > 65_535) {
    throw new LegionError(
      "USAGE",
      `${quote(text)} is no place in a network; write a host such as wiki.corp or localhost:8080, ` +
        "an address such as 10.0.0.5, or a range such as 192.168.0.0/16",
    );
  }
  return { host, port };
}

/** A name as URLs have it; `undefined` for what is none, such as an address that is written in an unusual way. */
function readName(text: string): string | undefined {
  const url = /^[^/?#@\\\s:*]+$/.test(text) && URL.canParse(`http://${text}`) ? `http://${text}` : undefined;
  const host = url === undefined ? "" : hostOf(new URL(url));
  return NAME.test(host) && isIP(host) === 0 ? host : undefined;
}

/**
 * Ports that browsers refuse because what listens there is no web server and may act on a line of a request, and two more
 * of that sort that are often open.
 *
 * @see https://fetch.spec.whatwg.org/#port-blocking
 */
const CLOSED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
]);

/** Throws REFUSED if nothing of the web is found on this port, whoever may have allowed the host. */
export function checkPort({ host, port }: Target): void {
  if (!CLOSED_PORTS.has(port)) return;
  throw refusal(`Port ${port} of ${quote(host)} is refused: no pages are served there.`);
}

export function refusal(text: string): LegionError {
  return new LegionError("REFUSED", text);
}
