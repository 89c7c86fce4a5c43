import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** What nobody holds any more is gone once this returns. */
export const collectGarbage = runInNewContext("gc") as () => void;
