// What has to be closed in the end: last first, each whatever becomes of the others.

export type Close = () => void | Promise<void>;

export type Closing = ReturnType<typeof createClosing>;

export function createClosing() {
  const closers: Close[] = [];
  return {
    add: (close: Close): void => void closers.push(close),
    /** Runs each once. Resolves with what went wrong. */
    async run(): Promise<readonly unknown[]> {
      const failures: unknown[] = [];
      for (const close of closers.splice(0).reverse()) {
        await Promise.resolve()
          .then(close)
          .catch((error: unknown) => failures.push(error));
      }
      return failures;
    },
  };
}
