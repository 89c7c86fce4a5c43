import { expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { OFFLINE_HELP } from "../../../src/model/offline/commands.ts";
import { legion } from "../legion.ts";

const cwd = process.cwd();

it("shows what the offline model understands", async () => {
  const { exitCode, out } = await legion(["help", "offline"], { cwd });
  expect(exitCode).toBe(0);
  expect(out).toBe(`${OFFLINE_HELP}\n`);
});

it.each(COMMANDS.map(({ name }) => [name]))("explains %s as its --help does", async (name) => {
  const asked = await legion(["help", name], { cwd });
  const same = await legion([name, "--help"], { cwd });
  expect(asked).toMatchObject({ exitCode: 0, out: same.out, err: "" });
  expect(asked.out).toContain(`Usage: legion ${name}`);
});

it("names the nearest topic where there is none", async () => {
  const { exitCode, err } = await legion(["help", "ofline"], { cwd });
  expect({ exitCode, err }).toEqual({
    exitCode: 2,
    err: 'legion: there is no help on "ofline"; did you mean "offline"?\n',
  });
});
