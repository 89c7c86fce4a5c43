// Brings podman, and what an image for tests is made of: where it does not start, a stand-in takes its place. Plain
// JavaScript on Node alone.

import { hasAptGet, installPackages, isProgram, isRoot, onPath } from "./debian.mjs";

const NAMES = ["podman", "busybox", "bash-static"];
const PACKAGES = ["podman", "runc", "catatonit", "busybox-static", "bash-static"];

/** Looks without changing anything; undefined if a part of it is missing. */
export function findPodman() {
  const [podman, busybox, bash] = NAMES.map((name) => onPath([name]).find(isProgram));
  return podman && busybox && bash ? { podman, busybox, bash } : undefined;
}

/** Its absence is said by the tests, and fails nothing. */
export function providePodman() {
  if (findPodman() === undefined && isRoot && hasAptGet())
    installPackages(PACKAGES, "Tests of containers need podman");
  return findPodman() === undefined ? "skipped" : "there";
}
