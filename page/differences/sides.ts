// Which two pasts are compared, as it stands in the page's address and in the question to the program.

export interface Side {
  /** Empty: nobody has chosen one. */
  readonly agent: string;
  /** The event that its branch ends with; empty: the newest. */
  readonly at: string;
  /** The run or session that it is of; empty: the legion of this page. */
  readonly run: string;
}

export interface Sides {
  readonly one: Side;
  readonly other: Side;
}

const NAMES = {
  one: { agent: "one", at: "oneAt", run: "oneRun" },
  other: { agent: "other", at: "otherAt", run: "run" },
} as const;

export function readSides(text: string): Sides {
  const query = new URLSearchParams(text);
  const side = ({ agent, at, run }: (typeof NAMES)["one" | "other"]): Side => ({
    agent: query.get(agent) ?? "",
    at: query.get(at) ?? "",
    run: query.get(run) ?? "",
  });
  return { one: side(NAMES.one), other: side(NAMES.other) };
}

export function writeSides(sides: Sides): string {
  const query = new URLSearchParams();
  for (const which of ["one", "other"] as const)
    for (const field of ["agent", "at", "run"] as const) {
      const value = sides[which][field];
      if (value !== "") query.set(NAMES[which][field], value);
    }
  return query.toString();
}

export function isWhole({ one, other }: Sides): boolean {
  return one.agent !== "" && other.agent !== "";
}
