// Charges under names; `null` is one of them.

import { z } from "zod";
import { chargeRowSchema, fromRow, grow, toRow, type Charge } from "./charge.ts";

/** One part of what a log came to. */
export interface ChargeShare {
  readonly charge: Charge;
  /** At least something of it has a price. */
  readonly isPriced: boolean;
}

const rowOf = z.tuple([z.string().nullable(), chargeRowSchema]);

export const tallySchema = z.object({ rows: z.array(rowOf), priced: z.array(z.string().nullable()) });

type PackedTally = z.output<typeof tallySchema>;

export function createTally(kept: PackedTally = { rows: [], priced: [] }) {
  const rows = new Map(kept.rows.map(([name, row]) => [name, fromRow(row)]));
  const priced = new Set(kept.priced);
  return {
    add(name: string | null, charge: Charge): void {
      const sum = rows.get(name);
      if (sum) grow(sum, charge);
      else rows.set(name, { ...charge });
    },
    has: (name: string | null) => rows.has(name),
    get size() {
      return rows.size;
    },
    price: (name: string | null) => priced.add(name),
    clear: () => rows.clear(),
    shares: (): ReadonlyMap<string | undefined, ChargeShare> =>
      new Map(
        [...rows].map(([name, charge]) => [
          name ?? undefined,
          { charge: { ...charge }, isPriced: priced.has(name) },
        ]),
      ),
    pack: (): PackedTally => ({
      rows: [...rows].map(([name, charge]) => [name, toRow(charge)]),
      priced: [...priced],
    }),
  };
}
