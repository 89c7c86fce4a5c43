// The token that the program printed in the address: it is kept in this tab alone, and never stays where an address is shown,
// copied or remembered.

import { signal } from "@preact/signals";
import { isFile } from "./record.ts";

const KEY = "legion-token";
const FRAGMENT = /^#token=([0-9a-f]{64})$/;

/** `missing`: this tab was opened without one. `refused`: the legion has been started anew since. */
export const access = signal<"granted" | "missing" | "refused">("missing");

/** Takes it out of the address, if it is there; a file needs none. */
export function takeToken(): void {
  if (isFile) return void (access.value = "granted");
  const [, token] = FRAGMENT.exec(location.hash) ?? [];
  if (token !== undefined) {
    sessionStorage.setItem(KEY, token);
    history.replaceState(null, "", location.pathname);
  }
  access.value = sessionStorage.getItem(KEY) === null ? "missing" : "granted";
}

/** What every request carries. */
export function authorization(): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}` };
}

/** No request can succeed any more. */
export function refuseToken(): void {
  sessionStorage.removeItem(KEY);
  access.value = "refused";
}
