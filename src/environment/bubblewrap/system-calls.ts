// What the kernel refuses to everything in a sandbox, as a program of its filter.
//
// A file in the workspace that runs as whoever owns it would outlive the sandbox. Only a change of mode makes one: writing to
// a file takes the bit from it where nobody has the capability to leave it. The keyring is that of whoever started the runtime.

interface Architecture {
  /** As the kernel's audit calls it. */
  readonly number: number;
  /** Which argument is a mode, by the number of a call: chmod, fchmod, fchmodat, fchmodat2. */
  readonly modes: Readonly<Record<number, number>>;
  /** add_key, request_key, keyctl. */
  readonly keys: readonly number[];
}

/** Those whose programs run on a machine, by what Node calls it. */
const MACHINES: Readonly<Partial<Record<NodeJS.Architecture, readonly Architecture[]>>> = {
  x64: [
    { number: 0xc000003e, modes: { 90: 1, 91: 1, 268: 2, 452: 2 }, keys: [248, 249, 250] },
    { number: 0x40000003, modes: { 15: 1, 94: 1, 306: 2, 452: 2 }, keys: [286, 287, 288] },
  ],
  arm64: [
    { number: 0xc00000b7, modes: { 52: 1, 53: 2, 452: 2 }, keys: [217, 218, 219] },
    { number: 0x40000028, modes: { 15: 1, 94: 1, 333: 2, 452: 2 }, keys: [309, 310, 311] },
  ],
};
/** From here on x64 counts the calls of a third kind of programs, which hardly any kernel runs. */
const FOREIGN = 0x40000000;

const SET_USER = 0o4000;
const SET_GROUP = 0o2000;

/** Of folders the second is common, and of root's files alone it is worth anything. */
const REFUSED_MODES = process.getuid?.() === 0 ? SET_USER | SET_GROUP : SET_USER;

/** @see https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html and struct sock_filter of linux/filter.h */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const equals = (value: number, ifFalse: number): Instruction => [0x15, 0, ifFalse, value];
const reaches = (value: number, ifFalse: number): Instruction => [0x35, 0, ifFalse, value];
const holds = (value: number, ifFalse: number): Instruction => [0x45, 0, ifFalse, value];
const ALLOW: Instruction = [0x06, 0, 0, 0x7fff0000];
const REFUSE: Instruction = [0x06, 0, 0, 0x00050000 | 1];
const [CALL, ARCHITECTURE, ARGUMENTS] = [0, 4, 16];

/** For bwrap; undefined where the numbers of the calls are not known here. */
export function callFilter(machine: NodeJS.Architecture = process.arch): Buffer | undefined {
  const instructions = MACHINES[machine]?.flatMap(instructionsFor);
  if (!instructions) return undefined;
  const program = [load(ARCHITECTURE), ...instructions, REFUSE];
  return Buffer.concat(
    program.map(([code, ifTrue, ifFalse, value]) => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt16LE(code, 0);
      bytes.writeUInt8(ifTrue, 2);
      bytes.writeUInt8(ifFalse, 3);
      bytes.writeUInt32LE(value, 4);
      return bytes;
    }),
  );
}

function instructionsFor({ number, modes, keys }: Architecture): readonly Instruction[] {
  const refused = [
    load(CALL),
    ...(number === 0xc000003e ? [reaches(FOREIGN, 1), REFUSE] : []),
    ...keys.flatMap((call) => [equals(call, 1), REFUSE]),
    ...Object.entries(modes).flatMap(([call, argument]) => [
      equals(Number(call), 4),
      load(ARGUMENTS + 8 * argument),
      holds(REFUSED_MODES, 1),
      REFUSE,
      ALLOW,
    ]),
    ALLOW,
  ];
  return [equals(number, refused.length), ...refused];
}
