import fc from "fast-check";
import { expect, it } from "vitest";
import { createEventParser } from "../../page/connection/events.ts";

it("gives every event once and whole, wherever the network cuts the text", () => {
  const line = fc.string().map((text) => JSON.stringify({ text }));
  const one = fc.record({ id: fc.constantFrom("", "log:1", "log:22"), data: line, isBeat: fc.boolean() });
  fc.assert(
    fc.property(fc.array(one), fc.array(fc.nat(9)), (events, cuts) => {
      let rest = events
        .map(({ id, data, isBeat }) => `${isBeat ? ":\n\n" : ""}${id && `id: ${id}\n`}data: ${data}\n\n`)
        .join("");
      const parse = createEventParser();
      const sent = cuts.flatMap((length) => {
        const piece = rest.slice(0, length);
        rest = rest.slice(length);
        return parse(piece);
      });
      expect([...sent, ...parse(rest)]).toEqual(events.map(({ id, data }) => ({ id, data })));
    }),
  );
});

it("keeps what is not complete for itself", () => {
  const parse = createEventParser();
  expect(parse("id: a:1\r\ndata: {}\r\n")).toEqual([]);
  expect(parse("\r\n:\n\ndata: [")).toEqual([{ id: "a:1", data: "{}" }]);
});
