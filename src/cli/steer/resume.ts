import type { CliCommand } from "../kit/command.ts";
import { orderCommand } from "./order.ts";

export const command: CliCommand = orderCommand("resume", {
  done: "resumed",
  soon: "resumed as soon as the step that runs is done",
  already: "neither paused nor parked",
});
