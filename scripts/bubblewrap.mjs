// Brings bubblewrap for the tests and the bench: a person's legion takes the one that is there. Plain JavaScript on Node
// alone.

import { hasAptGet, installPackages, isProgram, isRoot, onPath, provide } from "./debian.mjs";

/** Looks without changing anything. */
export function findBubblewrap() {
  return onPath(["bwrap"]).find(isProgram);
}

export function provideBubblewrap() {
  return provide({
    name: "bubblewrap",
    program: "bwrap",
    way: "Install bubblewrap.",
    find: findBubblewrap,
    bring() {
      if (isRoot && hasAptGet()) installPackages(["bubblewrap"], "Tests of the sandbox need bubblewrap");
    },
  });
}
