// The layout, beside the page: a file of its own, which the page starts for one order and ends with its answer.

import { layOut, type LayoutOrder } from "./layout.ts";

addEventListener("message", ({ data }: MessageEvent<LayoutOrder>) => postMessage(layOut(data)));
