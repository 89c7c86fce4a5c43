import { describeEnvironment } from "../environment-contract.ts";
import { bubblewrapIsThere, open } from "../opened.ts";

describeEnvironment({
  name: "bubblewrap",
  isThere: bubblewrapIsThere,
  open: (workspace, variables) => open("bubblewrap", workspace, variables),
});
