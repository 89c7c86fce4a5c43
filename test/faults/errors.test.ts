// The disk gives an error at each single call of its interface; a restart comes only after everything is done.
// `LEGION_FAULTS=long` tries each call with each error; without it a part of them.

import { describe, expect, it } from "vitest";
import { playWithFailure, type Failure } from "./errors.ts";
import type { Errno } from "./faulty-disk.ts";

const isLong = process.env["LEGION_FAULTS"] === "long";
const TEST_MS = isLong ? 7_200_000 : 120_000;
const STEP = isLong ? 1 : 3;
const ERRORS: readonly Errno[] = ["ENOSPC", "EIO", "EACCES", "EROFS", "EMFILE"];

/** Fails at each call, until there is none left. */
async function failAtEach(fails: Failure["fails"]): Promise<void> {
  for (let at = 1, isOver = false; !isOver; at += STEP) {
    for (const errno of isLong ? ERRORS : [ERRORS[at % ERRORS.length]!]) {
      const failure = { at, errno, done: at % 2 === 0 ? 0.5 : 0, fails };
      const { problems, failed } = await playWithFailure(failure);
      expect({ failure, problems }).toEqual({ failure, problems: [] });
      isOver = !failed;
    }
  }
}

describe("a legion on a disk that gives an error", () => {
  it(
    "at one call goes on by itself, loses nothing and does nothing twice",
    () => failAtEach("once"),
    TEST_MS,
  );

  it(
    "at everything of one agent lets the others work, and that one resumes when the disk works again",
    () => failAtEach("folder"),
    TEST_MS,
  );

  it("at all that it writes goes on by itself when the disk works again", () => failAtEach("all"), TEST_MS);
});
