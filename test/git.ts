import { findGit } from "../scripts/git.mjs";

/** In CI its absence is a failure, not a reason to skip. */
export const gitIsThere = findGit() !== undefined || process.env["CI"] === "true";
