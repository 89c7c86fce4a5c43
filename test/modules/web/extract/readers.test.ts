import { spawn } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { createExtractor, type Extractor } from "../../../../modules/web/extract/extractor.ts";
import type { ReaderOptions } from "../../../../modules/web/extract/readers.ts";
import { ownHeapLimit } from "../../../../modules/web/extract/usage.ts";
import { writePackedPdf } from "../site/pdf.ts";
import { fetched, startSource } from "./fetched.ts";

const open = new Set<Extractor>();
afterEach(async () => {
  for (const extractor of open) await extractor.close();
  open.clear();
});

function create(options: Partial<ReaderOptions> = {}): Extractor {
  const extractor = createExtractor({ start: startSource, ...options });
  open.add(extractor);
  return extractor;
}

const HEAP_BYTES = 128 * 1024 ** 2;

/** A thread that answers with the text of what it is sent, but for texts that name what it does instead. */
const scripted = (): Worker =>
  new Worker(
    `const { parentPort } = require("node:worker_threads");
     parentPort.on("message", ({ content }) => {
       const text = Buffer.from(content.body).toString();
       if (text === "hang") for (;;);
       if (text === "crash") process.exit(1);
       if (text === "throw") throw new Error("a bug");
       if (text === "eat") { const all = []; for (let n = 0; ; n++) all.push({ name: "p" + n, children: [n] }); }
       parentPort.postMessage({ extracted: { title: "", text, remarks: [] } });
     });`,
    { eval: true, resourceLimits: { maxOldGenerationSizeMb: ownHeapLimit(HEAP_BYTES) } },
  );

const page = (text: string) => fetched(text, "text/plain");
const never = (): AbortSignal => new AbortController().signal;

describe("the threads that read documents", () => {
  it("read pages, refusals come as sentences, and the caller keeps its bytes", async () => {
    const extractor = create();
    const document = fetched("<title>T</title><p>a", "text/html");
    expect(await extractor.extract(document, { signal: never() })).toEqual({
      title: "T",
      text: "# T\n\na",
      remarks: [],
    });
    expect(Buffer.from(document.body).toString()).toBe("<title>T</title><p>a");
    const rendered = { signal: never(), html: "<p>b <a href=c>c</a>", url: "https://moved.example/" };
    expect((await extractor.extract(document, rendered)).text).toBe("b [c](https://moved.example/c)");
    await expect(extractor.extract(fetched("x", "image/png"), { signal: never() })).rejects.toThrow(
      /^This is image\/png, which cannot be read as text\.$/,
    );
  });

  it.each([
    ["hang", 3_000, /^The document takes longer than 3 s to read/],
    ["eat", 60_000, /^The document needs too much memory to be read\.$/],
    ["crash", 60_000, /^The document could not be read: its reader ended\.$/],
    ["throw", 60_000, /^The document could not be read: a bug\.$/],
  ])("fail a document that makes its thread %s, and read the others (Y1)", async (bad, timeoutMs, reason) => {
    const extractor = create({ start: scripted, timeoutMs, heapBytes: HEAP_BYTES });
    const texts = [bad, "a", bad, "b", "c"];
    const results = await Promise.allSettled(
      texts.map((text) => extractor.extract(page(text), { signal: never() })),
    );
    expect(
      results.map((result) =>
        result.status === "fulfilled" ? result.value.text : String(result.reason.message),
      ),
    ).toEqual([expect.stringMatching(reason), "a", expect.stringMatching(reason), "b", "c"]);
  });

  it.each([
    ["a feed that nests its entries", () => fetched(`<rss><channel>${"<item>".repeat(340_000)}`, "text/xml")],
    [
      "a PDF that unpacks to thousands of times its size",
      () => fetched(writePackedPdf("word", 300_000), "application/pdf"),
    ],
  ])(
    "give 2 MB that would hold them for a minute no more of a processor than they may have: %s (Y1)",
    async (_, make) => {
      const document = make();
      expect(document.body.length).toBeLessThan(2_100_000);
      // Patient with a busy machine, and with memory: only what the thread takes of a processor counts.
      const extractor = create({ timeoutMs: 600_000, processorMs: 1_500, heapBytes: Infinity });
      await expect(extractor.extract(document, { signal: never() })).rejects.toThrow(
        "The document takes more than 1.5 s of processor time to read: it is too large or too entangled.",
      );
      expect((await extractor.extract(page("next"), { signal: never() })).text).toBe("next");
    },
    600_000,
  );

  it("begin documents in order, in two threads at most (Y2)", async () => {
    let started = 0;
    const extractor = create({ start: () => (started++, scripted()) });
    const done: string[] = [];
    const texts = Array.from({ length: 12 }, (_, n) => `page ${n}`);
    const stop = new AbortController();
    const hanging = extractor.extract(page("hang"), { signal: stop.signal });
    await Promise.all(
      texts.map(async (text) => done.push((await extractor.extract(page(text), { signal: never() })).text)),
    );
    expect(done).toEqual(texts);
    expect(started).toBe(2);
    stop.abort(new Error("enough"));
    await expect(hanging).rejects.toThrow("enough");
  });

  it("end at once for an aborted read, whether it waits or runs (Y3)", async () => {
    const extractor = create({ start: scripted });
    const stops = Array.from({ length: 4 }, () => new AbortController());
    const reads = stops.map(({ signal }) => extractor.extract(page("hang"), { signal }));
    const settled = Promise.allSettled(reads);
    for (const stop of stops.toReversed()) stop.abort(new Error("no longer wanted"));
    for (const read of await settled)
      expect(read).toMatchObject({ status: "rejected", reason: new Error("no longer wanted") });
    expect((await extractor.extract(page("a"), { signal: never() })).text).toBe("a");
    await expect(extractor.extract(page("a"), { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  });

  it("do not keep the process alive when they have nothing to do (Y4)", async () => {
    const url = new URL("./idle-process.mjs", import.meta.url);
    const child = spawn(process.execPath, [url.pathname], { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.setEncoding("utf8");
    let output = "";
    child.stdout.on("data", (text: string) => (output += text));
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(output).toBe("read: a\n");
  });

  it("end when they had nothing to do for a while (Y4)", async () => {
    const workers: Worker[] = [];
    const start = (): Worker => {
      workers.push(scripted());
      return workers.at(-1)!;
    };
    const extractor = create({ start, idleMs: 1 });
    await extractor.extract(page("a"), { signal: never() });
    await once(workers[0]!, "exit");
    expect((await extractor.extract(page("b"), { signal: never() })).text).toBe("b");
    expect(workers).toHaveLength(2);
  });

  it("reject what is under way and what comes later when they are closed", async () => {
    const extractor = create({ start: scripted });
    const reads = [1, 2, 3].map(() => extractor.extract(page("hang"), { signal: never() }));
    const settled = Promise.allSettled(reads);
    await extractor.close();
    for (const read of await settled) expect(read).toMatchObject({ status: "rejected" });
    await expect(extractor.extract(page("a"), { signal: never() })).rejects.toThrow(
      "the process is stopping",
    );
  });
});

describe("the source of a document", () => {
  it("is its own text, decoded", async () => {
    const extractor = create();
    expect(await extractor.source(fetched(Uint8Array.of(0x3c, 0x70, 0x3e, 0xfc), "text/html"))).toBe("<p>ü");
    await expect(extractor.source(fetched("%PDF-1.4", "application/pdf"))).rejects.toThrow(
      "A PDF has no source text",
    );
    await expect(extractor.source(fetched("x", "image/png"))).rejects.toThrow("This is image/png");
  });
});
