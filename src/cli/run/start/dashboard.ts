// A node that also shows its legion on a page.

import { messageOf } from "../../../base/errors.ts";
import type { Variables } from "../../../base/process/variables.ts";
import type { ServedLegion } from "../../../control/serve-legion.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";

/** Where the port is taken, that is told, and the node goes on without. */
export async function withDashboard(
  server: ServedLegion,
  { port, env }: { readonly port: number; readonly env: Variables },
  tell: (text: string) => void,
): Promise<ServedLegion> {
  try {
    const { serveDashboard } = await import("../../../control/web/server.ts");
    const page = await serveDashboard(server.watched!, {
      ...{ port, hosts: [], access: "all", person: openPersonFolder(env) },
    });
    tell(`Dashboard: ${page.url}`);
    return {
      async close() {
        await page.close();
        await server.close();
      },
    };
  } catch (error) {
    tell(
      `There is no dashboard: ${messageOf(error)}; \`legion dashboard 0\` opens one on any port that is free.`,
    );
    return server;
  }
}
