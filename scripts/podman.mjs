// Brings podman, and what an image for tests is made of: where it is there and does not start, a
// stand-in takes its place. Plain
// JavaScript on Node alone.

import { hasAptGet, installPackages, isProgram, isRoot, onPath, provide } from "./debian.mjs";

const NAMES = ["podman", "busybox", "bash-static"];
const PACKAGES = ["podman", "runc", "catatonit", "busybox-static", "bash-static"];

/** Looks without changing anything; undefined if a part of it is missing. */
export function findPodman() {
  const [podman, busybox, bash] = NAMES.map((name) => onPath([name]).find(isProgram));
  return podman && busybox && bash ? { podman, busybox, bash } : undefined;
}

export function providePodman() {
  return provide({
    name: "podman",
    program: "podman with busybox-static and bash-static",
    way: `Install ${PACKAGES.join(", ")}.`,
    find: findPodman,
    bring() {
      if (isRoot && hasAptGet()) installPackages(PACKAGES, "Tests of containers need podman");
    },
  });
}
