// Brings ripgrep for the tests and the bench: a person's legion takes the one that is there. Plain JavaScript on Node
// alone.

import { hasAptGet, installPackages, isProgram, isRoot, onPath, provide } from "./debian.mjs";

/** Looks without changing anything. */
export function findRipgrep() {
  return onPath(["rg"]).find(isProgram);
}

export function provideRipgrep() {
  return provide({
    name: "ripgrep",
    program: "rg",
    way: "Install ripgrep.",
    find: findRipgrep,
    bring() {
      if (isRoot && hasAptGet()) installPackages(["ripgrep"], "Tests of searches need ripgrep");
    },
  });
}
