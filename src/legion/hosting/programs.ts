// Programs that modules start and agents share, such as servers of tools.

import { createHash, randomUUID } from "node:crypto";
import { join, relative } from "node:path";
import { isInside } from "../../base/files/project-file.ts";
import type { Closing } from "../../base/process/closing.ts";
import type { Programs } from "../../domain/authoring/program.ts";
import type { Environment, EnvironmentPlace, OpenEnvironment } from "../../environment/environment.ts";

export interface ProgramsPlace {
  /** Of all that is started, and what a process before this one may have left of it. */
  readonly mark: string;
  /** Without a sandbox. */
  readonly outside: Environment;
  /** Gets what is opened here. */
  readonly closing: Pick<Closing, "add">;
}

/** Of one agent: the environment of its commands, and how one like it is opened. */
export interface AgentEnvironment {
  readonly used: Environment;
  readonly open: OpenEnvironment | undefined;
  readonly place: EnvironmentPlace;
}

/** Those of all agents of this process; each program has an environment, and so a `/tmp`, of its own. */
export function createPrograms({ mark, outside, closing }: ProgramsPlace) {
  const opened = new Map<string, Promise<Environment>>();
  closing.add(async () => {
    const all = await Promise.allSettled(opened.values());
    await Promise.all(all.map(async (one) => one.status === "fulfilled" && one.value.close()));
  });
  return ({ used, open, place }: AgentEnvironment): Programs => {
    const { workspace, project, protectedPaths, privatePaths } = place;
    const own = workspace === project ? undefined : workspace;
    /** An agent that works in a copy of the project has its programs there, too. */
    const there = (cwd: string): string =>
      isInside(project, cwd) ? join(workspace, relative(project, cwd)) : cwd;
    const startOutside: Programs["startOutside"] = (order) =>
      outside.start({ ...order, cwd: there(order.cwd), mark: `${mark}.${randomUUID()}` });
    if (!open || used.kind === "local") {
      const confinement = shortHash([used.confinement, workspace]);
      return { isConfined: false, confinement, workspace: own, startOutside, start: startOutside };
    }
    const confinement = shortHash([used.confinement, workspace, protectedPaths, privatePaths]);
    const openOnce = (agent: string, home: string): Promise<Environment> => {
      const known = opened.get(agent);
      if (known) return known;
      // Of the project: what a program has fetched lasts from run to run, and whichever agents it serves. It knows the same there.
      const ownHome = join(project, ".ai-legion", "homes", `program-${home}`);
      const opening = open({ ...place, agent, ownHome, readable: [] }).then(async (environment) => {
        await environment.endLeft(`${mark}.${agent}`);
        return environment;
      });
      opened.set(agent, opening);
      opening.catch(() => opened.delete(agent));
      return opening;
    };
    return {
      isConfined: true,
      confinement,
      workspace: own,
      startOutside,
      async start({ home, ...order }) {
        const agent = `program-${shortHash([mark, home, confinement])}`;
        const environment = await openOnce(agent, home);
        return environment.start({
          ...order,
          cwd: there(order.cwd),
          mark: `${mark}.${agent}.${randomUUID()}`,
        });
      },
    };
  };
}

function shortHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 12);
}
