import { expect, it } from "vitest";
import { ownHome } from "../own-config-home.ts";
import { createTempProject } from "../temp-project.ts";
import { loadTrusted } from "../trusting.ts";

it.each([
  [undefined, true],
  ["podman", true],
  ["local", false],
])(
  "whether programs of agents have a sandbox is as was typed, over what files say: %s",
  async (environment, has) => {
    const projectDir = await createTempProject({ ".ai-legion/config.yaml": "environment: bubblewrap\n" });
    const { modules } = await loadTrusted({ projectDir, env: ownHome(), flags: { environment } });
    expect(await modules.mcp.hasSandbox()).toBe(has);
  },
);
