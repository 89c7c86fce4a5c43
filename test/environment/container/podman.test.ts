// The contract in real containers, of an image that is made here: no registry is asked.

import { describeChoices } from "../choices-contract.ts";
import { describeEnvironment, type EnvironmentUnderTest } from "../environment-contract.ts";
import { openChosen, placeIn } from "../opened.ts";
import { makeImage } from "./image.ts";

const IMAGE = "localhost/ai-legion-test";
process.env["LEGION_TEST_IMAGE"] = IMAGE;

const podman: EnvironmentUnderTest = {
  name: "podman",
  isThere: makeImage(IMAGE),
  open: (workspace, variables, more) =>
    openChosen({ kind: "podman", image: IMAGE, ...more }, placeIn(workspace), variables),
};
describeEnvironment(podman);
describeChoices(podman);
