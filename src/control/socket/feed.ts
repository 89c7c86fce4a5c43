// What watchers see, one JSON object a line, to any number of followers. One that does not keep up is cut off: it may
// come back and read what it missed from the disk.

import type { Inspection, Inspector } from "../../domain/inspection.ts";

const MAX_BEHIND_BYTES = 16 * 1_048_576;

export type Feed = ReturnType<typeof createFeed>;

export function createFeed(inspector: Inspector) {
  const followers = new Set<() => void>();
  const encoder = new TextEncoder();
  return {
    /** An endless body; its first line is empty and says that nothing is missed from now on. */
    follow(agent: string | undefined): Response {
      let leave = (): void => undefined;
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const write = (inspection: Inspection): void => {
              if (agent !== undefined && inspection.agent !== agent) return;
              controller.enqueue(encoder.encode(`${JSON.stringify(inspection)}\n`));
              if ((controller.desiredSize ?? 0) < 0) end();
            };
            const unwatch = inspector.watch(write);
            leave = () => {
              unwatch();
              followers.delete(end);
            };
            const end = (): void => {
              leave();
              controller.close();
            };
            followers.add(end);
            controller.enqueue(encoder.encode("\n"));
          },
          cancel: () => leave(),
        },
        new ByteLengthQueuingStrategy({ highWaterMark: MAX_BEHIND_BYTES }),
      );
      return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
    },
    /** Ends what every follower reads. */
    close(): void {
      for (const end of [...followers]) end();
    },
  };
}
