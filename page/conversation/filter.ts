// Whose messages are shown: those of everybody, of one party, or of one to another.

import { signal } from "@preact/signals";

export interface Chosen {
  readonly from: string;
  /** Absent: all that `from` sent or was sent. */
  readonly to?: string;
}

/** `undefined`: everybody. */
export const chosen = signal<Chosen | undefined>(undefined);

/** Chooses it, or everybody where it is chosen already. */
export function choose(those: Chosen): void {
  chosen.value = isChosen(those) ? undefined : those;
}

export function isChosen({ from, to }: Chosen): boolean {
  return chosen.value !== undefined && chosen.value.from === from && chosen.value.to === to;
}

/** Does the person want to see what is said between these? */
export function isWanted(pair: { readonly from: string; readonly to: string }): boolean {
  const { value } = chosen;
  if (!value) return true;
  if (value.to === undefined) return pair.from === value.from || pair.to === value.from;
  return pair.from === value.from && pair.to === value.to;
}
