import type { CliCommand } from "../kit/command.ts";
import { orderCommand } from "./order.ts";

export const command: CliCommand = orderCommand("pause", {
  done: "paused until `legion resume <ids>`",
  soon: "paused as soon as the step that runs is done",
  already: "paused already",
});
