/** Resolves when `signal` has aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * A signal that aborts with the first of two longer-lived ones. `unlink` when it is no longer needed: unlike
 * AbortSignal.any it leaves nothing behind on them.
 */
export function linkSignals(
  a: AbortSignal,
  b: AbortSignal,
): { readonly signal: AbortSignal; readonly unlink: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (a.aborted || b.aborted) abort();
  a.addEventListener("abort", abort);
  b.addEventListener("abort", abort);
  const unlink = (): void => {
    a.removeEventListener("abort", abort);
    b.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, unlink };
}
