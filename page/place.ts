// Where on the page the person is: it stands in the address, so that going back and forward work as anywhere.

import { signal } from "@preact/signals";
import { takeToken } from "./connection/token.ts";

export type Place =
  | { readonly area: "legion" | "inbox" | "questions" | "changes" | "cost" }
  | { readonly area: "agent"; readonly agent: string };

const AREAS = ["inbox", "questions", "changes", "cost"] as const;

export const place = signal<Place>(read());

/** The part of an address behind `#`. */
export function addressOf(to: Place): string {
  return to.area === "agent" ? `#/agents/${encodeURIComponent(to.agent)}` : `#/${to.area}`;
}

export function open(to: Place): void {
  location.hash = addressOf(to);
}

export function followAddress(): void {
  takeToken();
  place.value = read();
  addEventListener("hashchange", () => {
    if (location.hash.startsWith("#token=")) {
      takeToken();
      location.reload();
    }
    place.value = read();
  });
}

function read(): Place {
  const [, area, agent] = location.hash.split("/");
  if (area === "agents" && agent) return { area: "agent", agent: decoded(agent) };
  const known = AREAS.find((one) => one === area);
  return { area: known ?? "legion" };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
