// Has the layout made beside the page, so that the page answers meanwhile. Where there is no worker, such as in a page that was
// opened from disk, it is made here.

import { layOut, type LayoutOrder, type Spots } from "./layout.ts";

const FILE = "/layout.js";

/** A browser with Trusted Types, or one without. */
interface Trusting {
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): {
      createScriptURL(url: string): string;
    };
  };
}

let policy: ReturnType<NonNullable<Trusting["trustedTypes"]>["createPolicy"]> | undefined;

/** Never rejects. */
export function settle(order: LayoutOrder): Promise<Spots> {
  if (location.protocol === "file:") return Promise.resolve(layOut(order));
  return inWorker(order).catch(() => layOut(order));
}

function inWorker(order: LayoutOrder): Promise<Spots> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerUrl());
    worker.onmessage = ({ data }: MessageEvent<Spots>) => {
      worker.terminate();
      resolve(data);
    };
    worker.onerror = () => {
      worker.terminate();
      reject(new Error("there is no worker"));
    };
    worker.postMessage(order);
  });
}

/** The policy of the page lets in this file alone. */
function workerUrl(): string {
  policy ??= (globalThis as Trusting).trustedTypes?.createPolicy("legion-layout", {
    createScriptURL(url) {
      if (url !== FILE) throw new TypeError(`${url} is no file of the page`);
      return url;
    },
  });
  return policy?.createScriptURL(FILE) ?? FILE;
}
