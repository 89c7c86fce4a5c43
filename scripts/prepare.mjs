// Before `npm start` and friends: on a fresh clone it installs and builds, later it only looks whether that is needed.

import { build } from "./build.mjs";
import { install } from "./install.mjs";

if (!(install() && build())) process.exitCode = 1;
