import { createLocalEnvironment } from "../../src/environment/local.ts";
import { bubblewrapIsThere, open } from "./opened.ts";
import { describePrograms } from "./programs-contract.ts";

describePrograms({ name: "local", open: (_, variables) => createLocalEnvironment(variables) });
describePrograms({
  name: "bubblewrap",
  isThere: bubblewrapIsThere,
  open: (workspace, variables) => open("bubblewrap", workspace, variables),
});
