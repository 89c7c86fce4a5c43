import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/own-config-home.ts"],
    pool: "forks",
    // The default leaves one core idle, which is half of a small machine.
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A forgotten `.only` must not make the rest of the suite pass unseen.
    allowOnly: false,
  },
});
