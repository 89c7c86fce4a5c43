// Has the layout made beside the page, so that the page answers meanwhile. Where there is no worker, such as in a page that was
// opened from disk, it is made here, by the same file.

import type { layOut, LayoutOrder, Spots } from "./layout.ts";

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

/** What the file is called by where it is a script of the page. */
interface Holding {
  readonly layOut?: typeof layOut;
}

/** Never rejects; empty where nothing can be laid out. */
export async function settle(order: LayoutOrder): Promise<Spots> {
  const here = (): Spots | undefined => (globalThis as Holding).layOut?.(order);
  return here() ?? (await inWorker(order).catch(() => load().then(here))) ?? new Map();
}

/** Resolves once the file is a script of the page, or cannot be. */
function load(): Promise<unknown> {
  return new Promise((resolve) => {
    const script = document.createElement("script");
    script.onload = script.onerror = resolve;
    script.src = workerUrl();
    document.head.append(script);
  });
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
