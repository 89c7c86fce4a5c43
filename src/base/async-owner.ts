// What is thrown where nobody waits for it: by a promise that was forgotten, in a listener, in a timer. It belongs to
// whoever began the work that it comes from, however many steps later it comes.

import { AsyncLocalStorage } from "node:async_hooks";

/** Takes what went astray. */
export type TakeStray = (error: unknown) => void;

const owners = new AsyncLocalStorage<TakeStray>();

/** Runs `work`; whatever goes astray in it, or in anything that it begins, is given to `take`. */
export function owning<T>(take: TakeStray, work: () => T): T {
  return owners.run(take, work);
}

/** Who takes what goes astray here. */
export function strayOwner(): TakeStray | undefined {
  return owners.getStore();
}
