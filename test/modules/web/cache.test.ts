import { describe, expect, it } from "vitest";
import { createCache } from "../../../modules/web/cache.ts";
import { byHand } from "../../world.ts";

const never = new AbortController().signal;

function createCounted(maxSize = 1_000) {
  let nowMs = 0;
  const loads: string[] = [];
  const cache = createCache<string>({ now: () => nowMs, sizeOf: (text) => text.length, maxSize });
  const get = (key: string, value = key): Promise<string> =>
    cache.get(key, never, () => {
      loads.push(key);
      return Promise.resolve(value);
    });
  return { cache, get, loads, pass: (ms: number) => (nowMs += ms) };
}

describe("what was read before", () => {
  it("is not loaded again for ten minutes (C1)", async () => {
    const { get, loads, pass } = createCounted();
    await get("a");
    pass(10 * 60_000 - 1);
    expect(await get("a", "newer")).toBe("a");
    pass(1);
    expect(await get("a", "newer")).toBe("newer");
    expect(loads).toEqual(["a", "a"]);
  });

  it("is loaded once for all who ask at the same time (C1)", async () => {
    const { cache } = createCounted();
    const loaded = byHand<string>();
    let loads = 0;
    const load = (): Promise<string> => {
      loads++;
      return loaded.promise;
    };
    const all = [1, 2, 3].map(() => cache.get("a", never, load));
    loaded.resolve("text");
    expect(await Promise.all(all)).toEqual(["text", "text", "text"]);
    expect(loads).toBe(1);
  });

  it("is not taken from the others by one who gives up (C2)", async () => {
    const { cache } = createCounted();
    const loaded = byHand<string>();
    const impatient = new AbortController();
    let stopped = false;
    const load = (signal: AbortSignal): Promise<string> => {
      signal.addEventListener("abort", () => (stopped = true));
      return loaded.promise;
    };
    const left = cache.get("a", impatient.signal, load);
    const stayed = cache.get("a", never, load);
    impatient.abort(new Error("enough"));
    await expect(left).rejects.toThrow("enough");
    expect(stopped).toBe(false);
    loaded.resolve("text");
    expect(await stayed).toBe("text");
  });

  it("is no longer loaded once the last one gives up, and then begun anew (C2)", async () => {
    const { cache, get, loads } = createCounted();
    const [one, other] = [new AbortController(), new AbortController()];
    let stopped = 0;
    const load = (signal: AbortSignal): Promise<string> =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          stopped++;
          reject(signal.reason as Error);
        });
      });
    const both = [cache.get("a", one.signal, load), cache.get("a", other.signal, load)];
    one.abort(new Error("one"));
    other.abort(new Error("other"));
    // A new one who asks in the same turn does not join what was given up.
    const fresh = get("a");
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(stopped).toBe(1);
    expect(await fresh).toBe("a");
    expect(loads).toEqual(["a"]);
    expect(await get("a", "again")).toBe("a");
  });

  it("is not kept if it failed (C3)", async () => {
    const { cache, get } = createCounted();
    await expect(cache.get("a", never, () => Promise.reject(new Error("down")))).rejects.toThrow("down");
    expect(await get("a", "up")).toBe("up");
  });

  it("is not kept if nobody should have it later (C3)", async () => {
    const cache = createCache<string>({
      now: () => 0,
      sizeOf: () => 1,
      maxSize: 10,
      isLasting: (text) => text !== "busy",
    });
    const get = (value: string): Promise<string> => cache.get("a", never, () => Promise.resolve(value));
    expect([await get("busy"), await get("page"), await get("newer")]).toEqual(["busy", "page", "page"]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    "is begun once after it failed, even if one gives up %i turns later (C1)",
    async (turns) => {
      const { cache } = createCounted();
      const [down, up] = [byHand(), byHand<string>()];
      const late = new AbortController();
      let loads = 0;
      const load = (): Promise<string> => {
        loads++;
        return up.promise;
      };
      const failed = cache.get("a", late.signal, () =>
        down.promise.then(() => Promise.reject(new Error("down"))),
      );
      down.resolve();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const begun = cache.get("a", never, load);
      late.abort(new Error("too late"));
      const joined = cache.get("a", never, load);
      up.resolve("text");
      await Promise.allSettled([failed, begun, joined]);
      expect(loads).toBeLessThanOrEqual(1);
    },
  );

  it("goes when there is too much of it, first what was not asked for longest", async () => {
    const { get, loads } = createCounted(3);
    await get("a");
    await get("b");
    await get("c");
    await get("a");
    await get("d");
    await get("a");
    await get("b");
    expect(loads).toEqual(["a", "b", "c", "d", "b"]);
  });

  it("is refused to whoever has given up before asking", async () => {
    const { cache } = createCounted();
    await expect(
      cache.get("a", AbortSignal.abort(new Error("over")), () => Promise.resolve("a")),
    ).rejects.toThrow("over");
  });
});
