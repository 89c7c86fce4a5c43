// The layout as a file of its own: the page starts it as a worker, which ends with its answer. As a script of a page it is called there.

import { layOut, type LayoutOrder } from "./layout.ts";

if (typeof document === "undefined")
  addEventListener("message", ({ data }: MessageEvent<LayoutOrder>) => postMessage(layOut(data)));
else Object.assign(globalThis, { layOut });
