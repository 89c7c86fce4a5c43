import { expect, it } from "vitest";
import { createClone } from "./clone.ts";

const PROGRAMS = [
  ["bubblewrap", "provideBubblewrap", "bwrap"],
  ["git", "provideGit", "git"],
  ["podman", "providePodman", "podman"],
  ["ripgrep", "provideRipgrep", "rg"],
  ["skills", "provideSkills", "public skills"],
  ["redis", "provideRedis", "redis-server"],
  ["chromium", "provideChromium", "Chromium"],
  ["promtool", "providePromtool", "promtool"],
] as const;

it.each(PROGRAMS)("says loudly what is skipped without %s, and fails in CI", (script, provide, program) => {
  const clone = createClone();
  const run = (CI: string) =>
    clone.run(
      ["-e", `import("./scripts/${script}.mjs").then(({ ${provide} }) => console.log(${provide}()));`],
      {
        PATH: clone.path("bin"),
        REDIS_SERVER: "",
        PUPPETEER_EXECUTABLE_PATH: "/nowhere",
        CI,
      },
    );
  const skipped = run("");
  expect(skipped.stdout).toBe("skipped\n");
  expect(skipped.stderr).toMatch(
    new RegExp(`NO ${program}.*: EVERY TEST THAT NEEDS ONE IS SKIPPED\\. Install`),
  );
  const failed = run("true");
  expect(failed.stdout).toBe("failed\n");
  expect(failed.stderr).toMatch(new RegExp(`^No ${program}.*, and none could be brought\\. Install`, "m"));
});
