// Brings git for the tests: what agents may do to a repository is tried on real ones. Plain JavaScript on Node alone.

import { hasAptGet, installPackages, isProgram, isRoot, onPath, provide } from "./debian.mjs";

/** Looks without changing anything. */
export function findGit() {
  return onPath(["git"]).find(isProgram);
}

export function provideGit() {
  return provide({
    name: "git",
    program: "git",
    way: "Install git.",
    find: findGit,
    bring() {
      if (isRoot && hasAptGet()) installPackages(["git"], "Tests of repositories need git");
    },
  });
}
