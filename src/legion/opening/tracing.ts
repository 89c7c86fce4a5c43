// Traces of a node, where the environment asks for them: nothing of that is loaded where it does not.

import type { Clock } from "../../base/clock.ts";
import { packageVersion } from "../../base/package.ts";
import type { Variables } from "../../base/process/variables.ts";
import type { Backend } from "../../storage/contract/backend.ts";
import type { LegionPaths } from "../../storage/folder/paths.ts";
import type { Legion } from "../legion.ts";

interface TracedNode extends Pick<Backend, "reader" | "nodes"> {
  readonly legion: Legion;
  /** Absent: nothing is kept. */
  readonly paths: LegionPaths | undefined;
  readonly clock: Clock;
  readonly env: Variables;
  readonly tell: (line: string) => void;
}

/** The same legion, which sends its traces until it has stopped, if it is to. */
export async function traced(node: TracedNode): Promise<Legion> {
  const { legion, reader, nodes, paths, clock, env, tell } = node;
  if (!Object.keys(env).some((name) => name.startsWith("OTEL_"))) return legion;
  const { readTracing } = await import("../tracing/settings.ts");
  const { settings, remarks } = readTracing(env);
  for (const remark of remarks) tell(remark);
  if (!settings) return legion;
  const { startExporter } = await import("../tracing/exporter.ts");
  const { settledReader } = await import("../tracing/settled.ts");
  const { createSentMarks, openSentMarks } = await import("../tracing/marks.ts");
  const exporter = startExporter({
    ...{ reader: settledReader(reader, legion.agents), settings, clock, tell },
    // Elsewhere others run on other nodes, which send theirs.
    agents: nodes ? [...legion.agents.keys()] : await reader.known(),
    marks: paths ? await openSentMarks(paths, nodes?.legion) : createSentMarks(),
    version: packageVersion(),
  });
  legion.inspector.watch(exporter.see);
  return {
    ...legion,
    async stop() {
      try {
        await legion.stop();
      } finally {
        await exporter.close();
      }
    },
  };
}
