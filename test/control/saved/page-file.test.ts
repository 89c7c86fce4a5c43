import { randomBytes } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { NO_SECRETS } from "../../../src/base/redaction/redactor.ts";
import { savePage } from "../../../src/control/saved/page-file.ts";
import type { SavedLine } from "../../../src/control/saved/record.ts";
import { buildProgram } from "../../cli/program.ts";

beforeAll(buildProgram, 120_000);

async function* linesOf(bytes: number): AsyncGenerator<SavedLine> {
  for (let n = 0; n * 3_000 < bytes; n++)
    yield { path: `/${n}`, refused: randomBytes(3_000).toString("base64") };
}

it("is refused, with the way to a smaller one, as soon as it is larger than it may be", async () => {
  const wish = { redactor: NO_SECRETS, mostBytes: 1024 * 1024 };
  const fits = await savePage(linesOf(100_000), wish);
  expect(Buffer.byteLength(fits.join(""))).toBeLessThan(wish.mostBytes);
  await expect(savePage(linesOf(Infinity), wish)).rejects.toMatchObject({
    code: "REFUSED",
    message: "the page would be larger than 1 MB: choose less with --agent, --since or --root",
  });
});

it("says what came between while it was made", async () => {
  const broken = async function* (): AsyncGenerator<SavedLine> {
    yield { saved: "2026-01-01T00:00:00.000Z", only: {} };
    throw new Error("Redis is away");
  };
  await expect(savePage(broken(), { redactor: NO_SECRETS })).rejects.toThrow("Redis is away");
});
