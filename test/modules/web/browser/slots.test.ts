import { expect, it } from "vitest";
import { createSlots } from "../../../../modules/web/browser/slots.ts";

const never = new AbortController().signal;

function createLine(count: number) {
  const slots = createSlots(count);
  const entered: string[] = [];
  const take = async (name: string, signal: AbortSignal = never) => {
    const leave = await slots.take(signal);
    entered.push(name);
    return leave;
  };
  return { take, entered };
}

it("lets so many in, and the others in their turn", async () => {
  const { take, entered } = createLine(2);
  const [a, b] = [await take("a"), await take("b")];
  const [c, d] = [take("c"), take("d")];
  await Promise.resolve();
  expect(entered).toEqual(["a", "b"]);
  b();
  (await c)();
  (await d)();
  a();
  await take("e");
  await take("f");
  expect(entered).toEqual(["a", "b", "c", "d", "e", "f"]);
});

it("passes over whoever does not want to wait any longer, and tells him why", async () => {
  const { take, entered } = createLine(1);
  const leave = await take("a");
  const impatient = new AbortController();
  const b = take("b", impatient.signal);
  const c = take("c");
  impatient.abort(new Error("no time"));
  await expect(b).rejects.toThrow("no time");
  await expect(take("d", impatient.signal)).rejects.toThrow("no time");
  leave();
  (await c)();
  await take("e");
  expect(entered).toEqual(["a", "c", "e"]);
});

it("keeps the place of one whose signal aborts after he got it", async () => {
  const { take, entered } = createLine(1);
  const stop = new AbortController();
  const leave = await take("a", stop.signal);
  const b = take("b");
  stop.abort(new Error("too late"));
  await Promise.resolve();
  expect(entered).toEqual(["a"]);
  leave();
  await b;
});
