import { describe, expect, it } from "vitest";
import { authorityOf, joinAuthority, writtenBy } from "../../../src/domain/message/authority.ts";
import type { Message } from "../../../src/domain/message/message.ts";

const of = (id: string, authority?: unknown): readonly string[] =>
  authorityOf({ id, authority } as Pick<Message, "id" | "authority">);
const many = Array.from({ length: 1_000 }, (_, index) => String(index + 1));

describe("in whose name a message comes", () => {
  it("is that of the agents it names and of its sender, and of nobody where a person speaks", () => {
    expect(of("3>4#1", ["1", "2", "3"])).toEqual(["1", "2", "3"]);
    expect(of("0>4#1")).toEqual([]);
  });

  it.each([
    ["an earlier version names nobody", "3>4#1", undefined, ["3"]],
    ["its sender is left out", "3>4#1", ["1"], ["1", "3"]],
    ["its sender is not the last", "3>4#1", ["3", "1", "3"], ["1", "3"]],
    ["a person's names others", "0>4#1", ["1"], []],
    ["it names the person", "3>4#1", ["0"], ["3"]],
    ["it names what is no agent", "3>4#1", ["../x", "", "CON", 7, null, {}, "1"], ["1", "3"]],
    ["it is no list", "3>4#1", "0", ["3"]],
  ])("is sure where %s", (_, id, authority, names) => expect(of(id, authority)).toEqual(names));

  it("is bounded: past 256 names the rest is `all`, whom nobody gave any right, and its sender stays", () => {
    const names = writtenBy("boss", many);
    expect(names).toHaveLength(256);
    expect(names.slice(-2)).toEqual(["all", "boss"]);
    expect(writtenBy("boss", names)).toEqual(names);
    expect(joinAuthority(names, many, ["clerk"])).toEqual([...names.slice(0, 254), "all", "clerk"]);
  });
});
