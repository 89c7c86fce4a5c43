// Brings promtool for the tests, which says whether Prometheus understands what we tell it: the tool alone, no server. Plain
// JavaScript on Node alone.

import { join } from "node:path";
import { cacheOf, hasAptGet, isProgram, onPath, provide, unpackPackages } from "./debian.mjs";

const PROGRAM = "usr/bin/promtool";

/** Looks without changing anything: PATH, then what was unpacked before. */
export function findPromtool() {
  return [...onPath(["promtool"]), join(cacheOf("promtool"), PROGRAM)].find(isProgram);
}

export function providePromtool() {
  return provide({
    name: "promtool",
    program: "promtool",
    way: "Install promtool, which is part of Prometheus.",
    find: findPromtool,
    bring() {
      if (hasAptGet()) unpackPackages("promtool", ["prometheus"], PROGRAM);
    },
  });
}
