import { expect, it } from "vitest";
import { createLedger } from "../../../../../src/past/ledger.ts";
import { NOTHING } from "../../../../../src/past/limits/spending.ts";
import { createAccounts, createCustomers } from "../../../../../src/storage/folder/person/purse/account.ts";
import { collectGarbage } from "../../../../garbage.ts";
import { createHandClock } from "../../../../hand-clock.ts";

const AGENTS = 20_000;

it("nothing is held of agents that have paid and gone", () => {
  const customers = createCustomers();
  const today = createAccounts(createHandClock()).today();
  const call = { ...NOTHING, steps: 1 };
  const payAll = (): void => {
    for (let n = 0; n < AGENTS; n++) {
      const spender = { agent: `task-${n}`, epoch: 1, ledger: createLedger() };
      customers.ask(spender, NOTHING, { call, today }).reserve();
      customers.settle(spender, call);
    }
  };
  const held = (): number => (collectGarbage(), process.memoryUsage().heapUsed);
  const before = held();
  payAll();
  expect((held() - before) / AGENTS).toBeLessThan(50);
  expect(today).toMatchObject({ used: { steps: AGENTS }, calls: 0 });
});
