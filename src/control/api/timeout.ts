import { setTimeout as delay } from "node:timers/promises";

/** What `work` comes to, or `late` where it takes longer than `patienceMs`; it goes on all the same. */
export async function unlessLate<T, L>(work: Promise<T>, patienceMs: number, late: L): Promise<T | L> {
  const answered = new AbortController();
  try {
    return await Promise.race([work, delay(patienceMs, late, { signal: answered.signal })]);
  } finally {
    answered.abort();
  }
}
