import { isIPv6 } from "node:net";
import { LegionError } from "../../../base/errors.ts";

/** Where a person said that Redis is. */
export interface RedisAddress {
  /** For people: without user and password. */
  readonly shown: string;
  /** The server; or some members of a Cluster, or the Sentinels. At least one. */
  readonly hosts: readonly RedisHost[];
  readonly user?: string;
  readonly password?: string;
  /** Number of the database; a Cluster has only 0. */
  readonly database: number;
  readonly isTls: boolean;
  /** Which of the masters that the Sentinels watch; absent: the only one. */
  readonly master?: string;
  /** File with the certificate of the authority that signed the server's, if it is not a public one. */
  readonly authorityFile?: string;
}

export interface RedisHost {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 6379;
const MAX_LENGTH = 4_096;
const MAX_HOSTS = 64;

const PARTS = /^(rediss?):\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const HOST = /^(?:\[([^\]]*)\]|([A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_.])?))(?::([0-9]{1,5}))?$/;
const DATABASE = /^(?:0|[1-9][0-9]{0,4})?$/;
const MASTER = /^[\w.-]{1,200}$/;
const CONTROL = /\p{Cc}/u;

/**
 * Reads `redis[s]://[[user]:password@]host[:port][,host[:port]...][/database][?master=name&ca=file]`. In user and password
 * the signs of an address are percent-encoded. Throws USAGE with one line, which repeats nothing of `text`: whatever is
 * wrong with it, part of it may be a password.
 *
 * @see https://www.iana.org/assignments/uri-schemes/prov/redis
 */
export function parseRedisAddress(text: string): RedisAddress {
  const [, scheme, authority, database, query] =
    text.length <= MAX_LENGTH && !CONTROL.test(text) ? (PARTS.exec(text) ?? []) : [];
  // An @ that late: the password has a sign of the address in it.
  if (scheme === undefined || authority === undefined || `${database}${query}`.includes("@")) {
    throw wrong(
      "write redis://host:6379 or rediss://user:password@host:6379, with / ? # @ in a password as %2F %3F %23 %40",
    );
  }
  if (!DATABASE.test(database ?? "")) {
    throw wrong("what follows the host is the number of the database, such as /0");
  }
  const isTls = scheme.toLowerCase() === "rediss";
  const at = authority.lastIndexOf("@");
  const hosts = readHosts(authority.slice(at + 1));
  const options = readOptions(query ?? "");
  if (options.ca !== undefined && !isTls) throw wrong("?ca= is for TLS: write rediss://");
  const place = {
    hosts,
    database: Number(database || 0),
    isTls,
    master: options.master,
    authorityFile: options.ca,
  };
  return { shown: show(place), ...place, ...(at < 0 ? {} : readCredentials(authority.slice(0, at))) };
}

function readHosts(text: string): readonly RedisHost[] {
  const hosts = text.split(",", MAX_HOSTS + 1);
  if (hosts.length > MAX_HOSTS) throw wrong(`at most ${MAX_HOSTS} hosts`);
  return hosts.map((written) => {
    const [, bracketed, name, digits] = HOST.exec(written) ?? [];
    const port = Number(digits ?? DEFAULT_PORT);
    const host = bracketed ?? name;
    if (host === undefined || (bracketed !== undefined && !isIPv6(bracketed))) {
      throw wrong(
        "after rediss:// or redis:// comes a host such as localhost, 10.0.0.5 or [::1], then :6379; commas between several",
      );
    }
    if (port < 1 || port > 65_535) throw wrong("a port is a number from 1 to 65535");
    return { host, port };
  });
}

function readCredentials(text: string): { readonly user?: string; readonly password: string } {
  const colon = text.indexOf(":");
  if (colon < 0)
    throw wrong("before the @ comes user:password, or :password for the user that is called default");
  try {
    const user = decodeURIComponent(text.slice(0, colon));
    const password = decodeURIComponent(text.slice(colon + 1));
    if (password === "")
      throw wrong("the password is empty; leave out everything up to the @ if there is none");
    return { password, ...(user === "" ? {} : { user }) };
  } catch (error) {
    if (error instanceof URIError) throw wrong("a % in user or password is written %25");
    throw error;
  }
}

function readOptions(query: string): { readonly master?: string; readonly ca?: string } {
  const given = [...new URLSearchParams(query)];
  const one = (wanted: string) => {
    const values = given.flatMap(([name, value]) => (name === wanted ? [value] : []));
    if (values.length > 1 || values[0] === "") throw wrong(`?${wanted}= is given once, with a value`);
    return values[0];
  };
  if (given.some(([name]) => name !== "master" && name !== "ca")) {
    throw wrong(
      "after the ? comes master=<name of the master, for Sentinels> or ca=<file of the authority, for TLS>",
    );
  }
  const master = one("master");
  if (master !== undefined && !MASTER.test(master))
    throw wrong("?master= takes letters, digits, dots, dashes and underscores");
  return { master, ca: one("ca") };
}

function show({ hosts, database, isTls, master }: Omit<RedisAddress, "shown">): string {
  const where = hosts.map(showHost).join(",");
  return `redis${isTls ? "s" : ""}://${where}/${database}${master === undefined ? "" : `?master=${master}`}`;
}

/** `host:6379`, `[::1]:6379`. */
export function showHost({ host, port }: RedisHost): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function wrong(rule: string): LegionError {
  return new LegionError("USAGE", `the address of Redis: ${rule}`);
}
