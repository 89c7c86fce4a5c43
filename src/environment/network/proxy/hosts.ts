// Which hosts a command may reach, as a person writes them.

import { LegionError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/wording.ts";
import { parseTrusted, placeOf, refusal, shown, type Target } from "../destination.ts";
import type { Dial } from "../dial.ts";

export type HostRule = (target: Target) => boolean;

/**
 * `example.com` is that host on ports 80 and 443, `example.com:8443` on that one; `*.example.com` is all below it, `*` every
 * host. Throws USAGE with one line.
 */
export function parseHost(text: string): HostRule {
  const [, isAll, below, rest = text] = /^(?:(\*)|(\*\.)(.+))$/s.exec(text) ?? [];
  if (isAll !== undefined) return () => true;
  if (below === undefined) {
    const isIt = parseTrusted(text);
    return (target) => isIt(target, "");
  }
  const top = parseTrusted(rest);
  const labels = rest.split(".").length;
  return (target) => {
    const parts = target.host.split(".");
    return parts.length > labels && top({ ...target, host: parts.slice(-labels).join(".") }, "");
  };
}

/** Connects to these hosts alone; what else `dial` refuses stays refused. */
export function dialOnly(hosts: readonly string[], dial: Dial): Dial {
  const rules = hosts.map(parseHost);
  return async (target, options) => {
    if (rules.some((rule) => rule(target))) return dial(target, options);
    throw refusal(
      `${shown(target)} is no host that this command may reach: ask for it with the parameter network.`,
    );
  };
}

/** Connects where `permits` says yes to `https://host:port`; what else `dial` refuses stays refused. */
export function dialPermitted(permits: (url: string) => boolean, dial: Dial): Dial {
  return async (target, options) => {
    if (permits(`https://${placeOf(target)}`)) return dial(target, options);
    throw refusal(`${shown(target)} is a host that the policy does not allow.`);
  };
}

/** For settings. Throws USAGE. */
export function checkHost(text: string): string {
  if (text.length > 300) throw new LegionError("USAGE", `${quote(text)} is no host`);
  parseHost(text);
  return text;
}
