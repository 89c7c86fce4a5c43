import type { CliCommand } from "./command.ts";
import { orderCommand } from "./order.ts";

export const command: CliCommand = orderCommand("pause", {
  done: "paused; `legion resume` lets it go on",
  soon: "paused as soon as the step that runs is done",
  already: "paused already",
});
