import fc from "fast-check";
import { expect, it } from "vitest";
import { isLegionError, messageOf } from "../../../../src/base/errors.ts";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";

it.each([
  ["redis://cache", "redis://cache:6379/0"],
  ["redis://localhost:7000/3", "redis://localhost:7000/3"],
  ["REDISS://10.0.0.5:6380/", "rediss://10.0.0.5:6380/0"],
  ["redis://[::1]:7000", "redis://[::1]:7000/0"],
  ["redis://a:1,b,[fe80::1]:3/0", "redis://a:1,b:6379,[fe80::1]:3/0"],
  ["redis://a:26379,b:26379/2?master=my-legion", "redis://a:26379,b:26379/2?master=my-legion"],
  ["redis://alice:s3cret@cache:7000/1", "redis://cache:7000/1"],
])("reads %s and shows %s", (text, shown) => {
  expect(parseRedisAddress(text).shown).toBe(shown);
});

it("reads every part", () => {
  const text = "rediss://al%40ice:p%2F%3A%25@one:1,two:2/4?master=m1&ca=%2Fetc%2Fca%20file.pem";
  expect(parseRedisAddress(text)).toEqual({
    shown: "rediss://one:1,two:2/4?master=m1",
    hosts: [
      { host: "one", port: 1 },
      { host: "two", port: 2 },
    ],
    user: "al@ice",
    password: "p/:%",
    database: 4,
    isTls: true,
    master: "m1",
    authorityFile: "/etc/ca file.pem",
  });
});

it("takes a password without a user, and an @ or a : within it", () => {
  expect(parseRedisAddress("redis://:p@ss:word@host")).toMatchObject({ password: "p@ss:word", database: 0 });
  expect(parseRedisAddress("redis://:p@ss:word@host").user).toBeUndefined();
});

it.each([
  ["", "write redis://host:6379"],
  ["localhost:6379", "write redis://host:6379"],
  ["http://secret", "write redis://host:6379"],
  ["redis://u:sec/ret@host", "write redis://host:6379"],
  ["redis://u:1/ret@host", "write redis://host:6379"],
  ["redis://u:sec#ret@host", "write redis://host:6379"],
  ["redis://u:sec?ret@host", "write redis://host:6379"],
  ["redis://u:sec\nret@host", "write redis://host:6379"],
  ["redis://secret@host", "user:password"],
  ["redis://secret:@host", "the password is empty"],
  ["redis://u:sec%ret@host", "written %25"],
  ["redis://", "a host such as localhost"],
  ["redis://a,,b", "a host such as localhost"],
  ["redis://[localhost]", "a host such as localhost"],
  ["redis://[::1", "a host such as localhost"],
  ["redis://ho st", "a host such as localhost"],
  ["redis://secret:65536", "from 1 to 65535"],
  ["redis://secret:0", "from 1 to 65535"],
  ["redis://host/secret", "number of the database"],
  ["redis://host/-1", "number of the database"],
  ["redis://host/0/1", "number of the database"],
  ["redis://host?password=secret", "after the ? comes"],
  ["redis://host?master=a&master=secret", "given once"],
  ["redis://host?master=", "given once"],
  ["redis://host?master=sec%0Aret", "letters, digits"],
  ["redis://host?ca=secret", "write rediss://"],
])("refuses %j with a rule, and repeats nothing of it", (text, rule) => {
  const error = refusal(text);
  expect(isLegionError(error, "USAGE")).toBe(true);
  expect(messageOf(error)).toContain(rule);
  expect(messageOf(error)).not.toMatch(/sec|\n/);
});

it("refuses what is too much", () => {
  expect(messageOf(refusal(`redis://${"a,".repeat(70)}a`))).toContain("at most 64 hosts");
  expect(messageOf(refusal(`redis://${"a.".repeat(5_000)}`))).toContain("write redis://host:6379");
});

it("reads any text or refuses it with USAGE, and never shows a password", () => {
  const part = fc.string({ unit: fc.constantFrom(...Array.from("redis:/@,[]?=&#%._-09az \u0000ü")) });
  fc.assert(
    fc.property(part, (text) => {
      const error = refusal(`redis://${text}`);
      expect(error === undefined || isLegionError(error, "USAGE")).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (password) => {
      const address = parseRedisAddress(`redis://u:${encodeURIComponent(password)}@h:1/0`);
      expect(address.password).toBe(password);
      expect(address.shown).toBe("redis://h:1/0");
    }),
  );
});

function refusal(text: string): unknown {
  try {
    parseRedisAddress(text);
    return undefined;
  } catch (error) {
    return error;
  }
}
