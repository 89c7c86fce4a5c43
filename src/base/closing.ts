// What has to be closed in the end: last first, each whatever becomes of the others.

export type Close = () => void | Promise<void>;

export interface Closing {
  add(close: Close): void;
  /** Runs each once. Resolves with what went wrong. */
  run(): Promise<readonly unknown[]>;
}

export function createClosing(): Closing {
  const closers: Close[] = [];
  return {
    add: (close) => void closers.push(close),
    async run() {
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
