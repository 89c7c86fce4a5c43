// Where on the page the person is, and at which time they look: both stand in the address, so that going back and forward work as
// anywhere.

import { computed, signal } from "@preact/signals";
import { isFile } from "./connection/record.ts";
import { takeToken } from "./connection/token.ts";

export type Place =
  | { readonly area: "report" | "legion" | "conversation" | "inbox" | "questions" | "changes" | "cost" }
  | { readonly area: "chain"; readonly message: string }
  /** `seq`: at that event of its log; absent: at the newest. */
  | { readonly area: "agent"; readonly agent: string; readonly seq?: number }
  /** `sides`: which two pasts, as the question to the program says it. */
  | { readonly area: "differences"; readonly sides: string };

const AREAS = ["report", "legion", "conversation", "inbox", "questions", "changes", "cost"] as const;

export const place = signal<Place>(read());
/** ISO 8601: the past that every area shows; `undefined`: what is there now. */
export const asOf = signal<string | undefined>(readTime());

/** The part of an address behind `#`. @param at the time that it shows; default: the one that is shown */
export function addressOf(to: Place, at = asOf.value): string {
  return withTime(pathOf(to), at);
}

/** The same without a time. */
export function pathOf(to: Place): string {
  if (to.area === "differences") return `#/differences${to.sides && `?${to.sides}`}`;
  if (to.area === "chain") return `#/chain/${encodeURIComponent(to.message)}`;
  if (to.area !== "agent") return `#/${to.area}`;
  return `#/agents/${encodeURIComponent(to.agent)}${to.seq === undefined ? "" : `/${to.seq}`}`;
}

/** Shows another time where the person is; going back leads to now, whatever times are passed. */
export function showTime(at: string | undefined): void {
  const address = withTime(pathOf(place.peek()), at);
  if (asOf.peek() === undefined || at === undefined) location.hash = address;
  else history.replaceState(null, "", address);
  asOf.value = at;
}

const TIME = /(^|&)at=[^&]*/;

function withTime(path: string, at: string | undefined): string {
  return at === undefined ? path : `${path}${path.includes("?") ? "&" : "?"}at=${at}`;
}

/** Can anything be done where the page is? Not in the past, and not in a file. */
export const isLive = computed(() => asOf.value === undefined && !isFile);

export function open(to: Place): void {
  location.hash = addressOf(to);
}

export function followAddress(): void {
  takeToken();
  settle();
  addEventListener("hashchange", () => {
    if (location.hash.startsWith("#token=")) {
      takeToken();
      location.reload();
    }
    settle();
  });
}

function settle(): void {
  place.value = read();
  asOf.value = readTime();
}

function read(): Place {
  const [path = "", query = ""] = location.hash.split("?");
  const [, area, agent, seq] = path.split("/");
  if (area === "agents" && agent)
    return { area: "agent", agent: decoded(agent), seq: Number(seq) || undefined };
  if (area === "chain" && agent) return { area, message: decoded(agent) };
  if (area === "differences") return { area, sides: query.replace(TIME, "") };
  const known = AREAS.find((one) => one === area);
  return { area: known ?? (isFile ? "legion" : "report") };
}

function readTime(): string | undefined {
  // It has one moment alone.
  if (isFile) return undefined;
  const [, query] = location.hash.split("?");
  const ms = Date.parse(new URLSearchParams(query).get("at") ?? "");
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
