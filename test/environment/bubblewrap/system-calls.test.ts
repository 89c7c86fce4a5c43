import { describe, expect, it } from "vitest";
import { callFilter } from "../../../src/environment/bubblewrap/system-calls.ts";

const [ALLOW, REFUSE] = [0x7fff0000, 0x00050001];
const [X64, I386, ARM64, ARM] = [0xc000003e, 0x40000003, 0xc00000b7, 0x40000028];

interface Call {
  readonly architecture: number;
  readonly number: number;
  readonly values?: readonly number[];
}

/** What the kernel would do, by the few instructions that such a program has. */
function judge(program: Buffer, { architecture, number, values = [] }: Call): number {
  const seen = new Map([
    [0, number],
    [4, architecture],
    ...values.map((value, at) => [16 + 8 * at, value] as const),
  ]);
  let held = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, ifTrue, ifFalse] = [program.readUInt16LE(at), program[at + 2]!, program[at + 3]!];
    const value = program.readUInt32LE(at + 4);
    if (code === 0x06) return value;
    if (code === 0x20) held = seen.get(value) ?? 0;
    else if (code === 0x15) at += 8 * (held === value ? ifTrue : ifFalse);
    else if (code === 0x35) at += 8 * (held >= value ? ifTrue : ifFalse);
    else if (code === 0x45) at += 8 * ((held & value) === 0 ? ifFalse : ifTrue);
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error("it has no end");
}

describe("what the kernel refuses to a sandbox", () => {
  it.each([
    [
      "x64",
      X64,
      { chmod: [90, 1], fchmod: [91, 1], fchmodat: [268, 2], fchmodat2: [452, 2] },
      [248, 249, 250],
    ],
    [
      "x64",
      I386,
      { chmod: [15, 1], fchmod: [94, 1], fchmodat: [306, 2], fchmodat2: [452, 2] },
      [286, 287, 288],
    ],
    ["arm64", ARM64, { fchmod: [52, 1], fchmodat: [53, 2], fchmodat2: [452, 2] }, [217, 218, 219]],
    [
      "arm64",
      ARM,
      { chmod: [15, 1], fchmod: [94, 1], fchmodat: [333, 2], fchmodat2: [452, 2] },
      [309, 310, 311],
    ],
  ] as const)(
    "is a mode that lends rights, and the keyring: %s, %i",
    (machine, architecture, modes, keys) => {
      const program = callFilter(machine)!;
      for (const [number, argument] of Object.values(modes)) {
        const withMode = (mode: number) => {
          const values = argument === 1 ? [7, mode, 7] : [7, 7, mode];
          return judge(program, { architecture, number, values });
        };
        expect([0o755, 0o777, 0o1777, 0].map(withMode)).toEqual([ALLOW, ALLOW, ALLOW, ALLOW]);
        expect([0o4755, 0o6755, 0o4000, 0x80000 | 0o4755].map(withMode)).toEqual([
          REFUSE,
          REFUSE,
          REFUSE,
          REFUSE,
        ]);
      }
      for (const number of keys) expect(judge(program, { architecture, number })).toBe(REFUSE);
      for (const number of [0, 1, 2, 56, 59, 221])
        expect(judge(program, { architecture, number, values: [0o4755, 0o4755, 0o4755] })).toBe(ALLOW);
    },
  );

  it("is everything that comes by numbers that are not known here", () => {
    expect(judge(callFilter("x64")!, { architecture: ARM64, number: 0 })).toBe(REFUSE);
    expect(judge(callFilter("x64")!, { architecture: X64, number: 0x40000000 })).toBe(REFUSE);
    expect(callFilter("riscv64")).toBeUndefined();
  });
});
