// Where an agent may go though text from outside may be misleading it: hosts that a person named or that it has been to, and
// addresses that a service of the person's choice gave it. A fold over the active branch of its log.

import type { Event } from "../../domain/event/event.ts";
import { isPersons, type Message } from "../../domain/message/message.ts";

export interface KnownAddresses {
  /** In lower case. */
  readonly hosts: Set<string>;
  /** Whole URLs, without fragments. */
  readonly urls: Set<string>;
}

/** Of each, the newest count. */
const MAX_KNOWN = 1_000;
const URLS = /https?:\/\/[^\s<>"'`]+/gi;

export function createKnownAddresses(): KnownAddresses {
  return { hosts: new Set(), urls: new Set() };
}

/** Takes into account what is shown of mail. */
export function hearAddresses({ hosts }: KnownAddresses, message: Message): void {
  if (!isPersons(message)) return;
  for (const [url] of message.content.matchAll(URLS)) remember(hosts, addressIn(url)?.hostname);
}

export function learnAddresses({ hosts, urls }: KnownAddresses, event: Event): void {
  if (event.kind !== "result") return;
  for (const url of event.leads ?? []) remember(urls, withoutFragment(url));
  if (event.outcome === "ok" && Array.isArray(event.taint))
    for (const source of event.taint as readonly string[]) remember(hosts, addressIn(source)?.hostname);
}

/** Of a host in lower case, and the whole address if it is known. */
export function isKnown({ hosts, urls }: KnownAddresses, host: string, url: string | undefined): boolean {
  return hosts.has(host) || (url !== undefined && urls.has(withoutFragment(url)));
}

function remember(known: Set<string>, text: string | undefined): void {
  if (text === undefined) return;
  known.delete(text);
  known.add(text);
  const [oldest] = known;
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
}

function addressIn(text: string): URL | undefined {
  return /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

function withoutFragment(url: string): string {
  return (addressIn(url)?.href ?? url).split("#", 1)[0]!;
}
