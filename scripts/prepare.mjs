// Before `npm start` and friends: on a fresh clone it installs and builds, later it only looks whether that is needed.
// `node scripts/prepare.mjs to-start` builds no more than a start needs.

import { build } from "./build.mjs";
import { install } from "./install.mjs";

const need = process.argv[2] === "to-start" ? "to start" : "whole";
if (!(install() && build(need))) process.exitCode = 1;
